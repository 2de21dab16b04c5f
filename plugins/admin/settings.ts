import { Joi } from '@mortise/plugin-sdk';

interface NoticeSettings {
  ENABLED: boolean;
  OLDER_THAN: string;
}

/** `[cron.delete_old_system_notices]` */
export const noticeSettings = Joi.object<NoticeSettings, true>({
  ENABLED: Joi.boolean()
    .default(false)
    .description('Delete notices of the administration that are old; of more than 5,000 the oldest always go.'),
  OLDER_THAN: Joi.string()
    .pattern(/^\d+[hm]$/)
    .default('8760h')
    .description('How old: 8760h, 90m.'),
});

/** `8760h` in milliseconds. */
export const ageOf = (text: string): number => parseInt(text, 10) * (text.endsWith('h') ? 3_600_000 : 60_000);
