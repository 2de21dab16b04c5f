/** The public contract of `git-ssh`. */
export {};
