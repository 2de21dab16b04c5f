/**
 * The contract of `search`: an index of texts that keeps up with the changes of their owners, and the page that searches
 * everything.
 */
export * from './contract/documents.js';
export * from './contract/page.js';
