/** Nothing to import: the format is reached through the extension point and the store of `packages`. */
export {};
