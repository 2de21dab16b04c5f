/** The public contract of `commit-status`. */
export {};
