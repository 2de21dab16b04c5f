import { durationSetting, Joi, pageSizeSetting } from '@mortise/plugin-sdk';

interface ServiceSettings {
  ENABLE_USER_HEATMAP: boolean;
}
/** `[service]`, the part of this plugin. */
export const serviceSettings = Joi.object<ServiceSettings, true>({
  ENABLE_USER_HEATMAP: Joi.boolean().default(true).description('Show the contributions of the last year on profiles.'),
});

interface UiSettings {
  FEED_MAX_COMMIT_NUM: number;
  FEED_PAGING_NUM: number;
}
/** `[ui]`, the part of this plugin. */
export const uiSettings = Joi.object<UiSettings, true>({
  FEED_MAX_COMMIT_NUM: Joi.number()
    .integer()
    .min(0)
    .max(100)
    .default(5)
    .description('Commits kept with the entry of a push.'),
  FEED_PAGING_NUM: pageSizeSetting(20).description('Entries on one page of a feed.'),
});

interface CleaningSettings {
  readonly ENABLED: boolean;
  readonly OLDER_THAN: number;
}
/** `[cron.delete_old_actions]`, beside its times. */
export const cleaningSettings = Joi.object<CleaningSettings, true>({
  ENABLED: Joi.boolean()
    .default(false)
    .description('Delete old entries of activity feeds. Contributions of that time are then missing on profiles.'),
  OLDER_THAN: durationSetting('8760h').description('Age at which an entry is deleted.'),
});

interface OtherSettings {
  ENABLE_FEED: boolean;
}
/** `[other]`, the part of this plugin. */
export const otherSettings = Joi.object<OtherSettings, true>({
  ENABLE_FEED: Joi.boolean().default(true).description('Serve RSS and Atom feeds.'),
});
