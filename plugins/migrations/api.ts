/**
 * The contract of `migrations`: where repositories come from ({@link migrationSources}), what a source gives
 * ({@link SourceReader} and the records), and how it is written into this site ({@link RepositoryImporter}).
 */

export { type MigrationSource, migrationSources } from './contract/source.js';
