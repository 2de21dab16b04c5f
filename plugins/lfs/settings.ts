import { durationSetting, Joi } from '@mortise/plugin-sdk';

const count = (fallback: number) => Joi.number().integer().min(0).default(fallback);

interface LfsSettings {
  LFS_START_SERVER: boolean;
  LFS_JWT_SECRET: string;
  LFS_HTTP_AUTH_EXPIRY: number;
  LFS_LOCKS_PAGING_NUM: number;
  LFS_MAX_FILE_SIZE: number;
  LFS_MAX_BATCH_SIZE: number;
}

/** The LFS part of `[server]`. */
export const lfsSettings = Joi.object<LfsSettings, true>({
  LFS_START_SERVER: Joi.boolean().default(true).description('Serve Git LFS.'),
  LFS_JWT_SECRET: Joi.string()
    .allow('')
    .default('')
    .description('Signs the tokens that SSH hands out; empty: derived from the secret of the installation.'),
  LFS_HTTP_AUTH_EXPIRY: durationSetting('24h').description('How long such a token is good.'),
  LFS_LOCKS_PAGING_NUM: Joi.number().integer().min(1).max(1000).default(50).description('Most locks in one answer.'),
  LFS_MAX_FILE_SIZE: count(0).description('Most bytes of one object; 0: any.'),
  LFS_MAX_BATCH_SIZE: count(0).description('Most objects in one batch request; 0, or more than that: 5000.'),
});

export interface GarbageSettings {
  ENABLED: boolean;
  OLDER_THAN: number;
}

/** `[cron.gc_lfs]`. */
export const garbageSettings = Joi.object<GarbageSettings, true>({
  ENABLED: Joi.boolean()
    .default(false)
    .description(
      'Every night, take objects out of repositories in whose history no pointer names them. Content that belongs to no repository goes in any case.',
    ),
  OLDER_THAN: durationSetting('168h').description(
    'How long such objects stay after they were last offered by a client.',
  ),
});
