/** The public contract of `insights`. */
export {};
