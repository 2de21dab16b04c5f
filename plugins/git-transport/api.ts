/** The public contract of `git-transport`. */
export {};
