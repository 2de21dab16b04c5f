/**
 * The contract of `search`: an index of texts that keeps up with the changes of their owners, and the page that searches
 * everything.
 */
export {
  type SearchDocument,
  type DocumentColumns,
  type TextSearches,
  type SearchIndex,
  searchIndex,
  type SearchSource,
  searchSources,
  type SearchEngine,
  searchEngine,
  documentsChanged,
} from './contract/documents.js';
export { type SearchKind, searchKinds, excerptOf } from './contract/page.js';
