/** The public contract of `activity`. */
export {};
