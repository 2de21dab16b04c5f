/** The contract of `attachments`: files that belong to something of a repository, and how they are taken and served. */
export * from './contract/attachments.js';
export * from './contract/file-names.js';
export * from './contract/upload.js';
