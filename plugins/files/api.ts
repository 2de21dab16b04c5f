/** The contract of `files`: commits on behalf of people, buttons on the pages of files, and content that lies elsewhere. */
export {
  type MediaSource,
  mediaSources,
  type FilePageContext,
  fileActions,
  fileNotices,
  type LineAction,
  lineActions,
  type FileOperation,
  type FileChanges,
  fileChanges,
} from './contract/files.js';
