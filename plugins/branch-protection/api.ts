/** The public contract of `branch-protection`. */
export {};
