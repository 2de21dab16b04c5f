import { Joi } from '@mortise/plugin-sdk';

export interface ReleaseSettings {
  readonly ALLOWED_TYPES: string;
  readonly DEFAULT_PAGING_NUM: number;
  readonly FILE_MAX_SIZE: number;
  readonly MAX_FILES: number;
}

/** `[repository.release]` */
export const releaseSettings = Joi.object<ReleaseSettings>({
  ALLOWED_TYPES: Joi.string()
    .allow('')
    .default('')
    .description(
      'Files that a release may have, separated by commas: endings (.zip), media types (application/zip, text/*) or */*; empty: all',
    ),
  DEFAULT_PAGING_NUM: Joi.number().integer().min(1).max(50).default(10).description('Releases on one page'),
  FILE_MAX_SIZE: Joi.number().min(0).default(2048).description('Largest file of a release, MiB; 0: no limit'),
  MAX_FILES: Joi.number().integer().min(1).default(5).description('Files that the form takes at once'),
});
