import { Joi } from '@mortise/plugin-sdk';

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
  readonly OLDER_THAN: string;
  readonly MAX_SIZE: number;
}

export const archiveCleanupSettings = Joi.object<ArchiveCleanupSettings, true>({
  ENABLED: Joi.boolean().default(true).description('Delete archives that were made for downloads, every night.'),
  OLDER_THAN: Joi.string()
    .pattern(/^\d+[smhd]$/)
    .default('24h')
    .description('Age of an archive at which it is deleted, for instance `24h`; it is made anew when asked for.'),
  MAX_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(5120)
    .description(
      'Space of all archives together in MiB; beyond it those go that nobody has asked for the longest. 0: unlimited.',
    ),
});

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `24h` in milliseconds. */
export function durationOf(text: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return Number(count ?? 0) * units[(unit ?? 's') as keyof typeof units];
}
