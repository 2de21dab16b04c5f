import { Joi } from '@mortise/plugin-sdk';

export interface IndexerSettings {
  readonly REPO_INDEXER_ENABLED: boolean;
  readonly MAX_FILE_SIZE: number;
  readonly MAX_FILES: number;
  readonly MAX_TOTAL_SIZE: number;
  readonly MAX_COMMITS: number;
}

/** `[indexer]`: what of repositories can be found. */
export const indexerSettings = Joi.object<IndexerSettings, true>({
  REPO_INDEXER_ENABLED: Joi.boolean()
    .default(true)
    .description('The code of default branches and the messages of their commits can be searched'),
  MAX_FILE_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(1_048_576)
    .description('Bytes; of longer files, and of those that are no text, only the name is found'),
  MAX_FILES: Joi.number().integer().min(0).default(20_000).description('Files of one repository that are indexed'),
  MAX_TOTAL_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(268_435_456)
    .description('Bytes of files of one repository that are indexed; of further files only the name is found'),
  MAX_COMMITS: Joi.number()
    .integer()
    .min(0)
    .default(50_000)
    .description('Commits of one repository that are indexed, the newest'),
});
