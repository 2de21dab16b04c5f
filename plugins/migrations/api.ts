/**
 * The contract of `migrations`: where repositories come from ({@link migrationSources}), what a source gives
 * ({@link SourceReader} and the records), and how it is written into this site ({@link RepositoryImporter}).
 */
export * from './contract/records.js';
export * from './contract/source.js';
export * from './contract/importer.js';
