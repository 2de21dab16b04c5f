/** `git-hooks` offers nothing to other plugins. */
export {};
