/** The public contract of `signatures`. */
export {};
