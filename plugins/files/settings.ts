import { durationSetting, Joi } from '@mortise/plugin-sdk';

/** `[api]`, the part about answers with contents of files. */
interface ContentsSettings {
  readonly DEFAULT_MAX_RESPONSE_SIZE: number;
}

export const contentsSettings = Joi.object<ContentsSettings, true>({
  DEFAULT_MAX_RESPONSE_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(100 * 1024 * 1024)
    .description('Largest sum of files in one answer, in bytes'),
});

interface ArchiveSettings {
  readonly PREFIX_ARCHIVE_FILES: boolean;
}

/** `[repository]`, the part about archives. */
export const archiveSettings = Joi.object<ArchiveSettings, true>({
  PREFIX_ARCHIVE_FILES: Joi.boolean()
    .default(true)
    .description('What is in an archive of a repository lies in a folder named like it.'),
});

/** `[cron.archive_cleanup]`: archives that were made for downloads go away after a while. */
interface ArchiveCleanupSettings {
  readonly ENABLED: boolean;
  readonly OLDER_THAN: number;
  readonly MAX_SIZE: number;
}

export const archiveCleanupSettings = Joi.object<ArchiveCleanupSettings, true>({
  ENABLED: Joi.boolean().default(true).description('Delete archives that were made for downloads, every night.'),
  OLDER_THAN: durationSetting('24h').description('Age at which an archive is deleted; it is made again on request.'),
  MAX_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(5120)
    .description(
      'Space of all archives together in MiB; beyond it those go that nobody has asked for the longest. 0: unlimited.',
    ),
});
