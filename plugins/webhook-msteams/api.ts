/** Nothing to import: kinds are identified by their key in the extension point of `webhooks`. */
export {};
