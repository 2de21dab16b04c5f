/** The public contract of `lfs`. */
export {};
