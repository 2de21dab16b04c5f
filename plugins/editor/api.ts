/** The public contract of `editor`. */
export {};
