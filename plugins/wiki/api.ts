/** The public contract of `wiki`. */
export {};
