import { ageSetting, Joi } from '@mortise/plugin-sdk';

interface NoticeSettings {
  ENABLED: boolean;
  OLDER_THAN: string;
}

/** `[cron.delete_old_system_notices]` */
export const noticeSettings = Joi.object<NoticeSettings, true>({
  ENABLED: Joi.boolean()
    .default(false)
    .description('Delete notices of the administration that are old; of more than 5,000 the oldest always go.'),
  OLDER_THAN: ageSetting('8760h'),
});
