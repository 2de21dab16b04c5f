import { durationSetting, Joi, pageSizeSetting } from '@mortise/plugin-sdk';

interface NoticeSettings {
  ENABLED: boolean;
  OLDER_THAN: number;
}

/** `[cron.delete_old_system_notices]` */
export const noticeSettings = Joi.object<NoticeSettings, true>({
  ENABLED: Joi.boolean()
    .default(false)
    .description('Delete notices of the administration that are old; of more than 5,000 the oldest always go.'),
  OLDER_THAN: durationSetting('8760h').description('Age at which a notice is deleted.'),
});

interface AccountListSettings {
  USER_PAGING_NUM: number;
}

/** `[ui.admin]`, the part about accounts. */
export const accountListSettings = Joi.object<AccountListSettings, true>({
  USER_PAGING_NUM: pageSizeSetting(50).description('Accounts on one page of the administration.'),
});

interface NoticeListSettings {
  NOTICE_PAGING_NUM: number;
}

/** `[ui.admin]`, the part about notices. */
export const noticeListSettings = Joi.object<NoticeListSettings, true>({
  NOTICE_PAGING_NUM: pageSizeSetting(50).description('Notices on one page; compatible servers have 25.'),
});
