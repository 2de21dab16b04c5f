/** Nothing to import: a kind is told apart by its key in the extension point of `webhooks`. */
export {};
