import { durationSetting, Joi, pageSizeSetting } from '@mortise/plugin-sdk';

export interface WebhookSettings {
  ALLOWED_HOST_LIST: string;
  DELIVER_TIMEOUT: number;
  SKIP_TLS_VERIFY: boolean;
  CA_FILE: string;
  PAGING_NUM: number;
  PROXY_URL: string;
  MAX_ATTEMPTS: number;
  KEEP_DELIVERIES: number;
  MAX_COMMITS: number;
}

/** `[webhook]`. */
export const webhookSettings = Joi.object<WebhookSettings, true>({
  ALLOWED_HOST_LIST: Joi.string()
    .allow('')
    .default('')
    .description(
      'Deprecated, but used when set (HOK-05): hosts that hooks may reach. Use [security] ALLOWED_HOST_LIST.',
    ),
  DELIVER_TIMEOUT: Joi.number()
    .integer()
    .min(1)
    .max(600)
    .default(5)
    .description('Seconds until a receiver must have answered.'),
  SKIP_TLS_VERIFY: Joi.boolean().default(false).description('Accept any certificate of receivers.'),
  CA_FILE: Joi.string()
    .allow('')
    .default('')
    .description(
      'File with certificates (PEM) of authorities of your own that receivers may be certified by, beside the public ones; read at the start.',
    ),
  PAGING_NUM: pageSizeSetting(10).description('Deliveries on one page.'),
  PROXY_URL: Joi.string()
    .allow('')
    .default('')
    .description('Proxy for deliveries; empty: none.')
    .meta({ secret: true }),
  MAX_ATTEMPTS: Joi.number()
    .integer()
    .min(1)
    .max(100)
    .default(40)
    .description(
      'How often a delivery is tried at most while the receiver cannot be reached or answers with 5xx or 429; the pauses grow to an hour, and it ends after a day.',
    ),
  KEEP_DELIVERIES: Joi.number()
    .integer()
    .min(1)
    .default(50)
    .description('Deliveries kept for each hook, unless [cron.cleanup_hook_task_table] CLEANUP_TYPE says otherwise.'),
  MAX_COMMITS: Joi.number()
    .integer()
    .min(1)
    .max(1000)
    .default(5)
    .description('Newest commits listed in the payload of a push; the total is always told.'),
});

interface SwitchSettings {
  DISABLE_WEBHOOKS: boolean;
}

/** `[security]` */
export const switchSettings = Joi.object<SwitchSettings, true>({
  DISABLE_WEBHOOKS: Joi.boolean()
    .default(false)
    .description('No webhooks: their pages and API answer 403, and nothing is sent. They stay stored.'),
});

interface CleaningSettings {
  CLEANUP_TYPE: 'PerWebhook' | 'OlderThan';
  OLDER_THAN: number;
}

/** `[cron.cleanup_hook_task_table]`, beside its times. */
export const cleaningSettings = Joi.object<CleaningSettings, true>({
  CLEANUP_TYPE: Joi.string()
    .valid('PerWebhook', 'OlderThan')
    .default('PerWebhook')
    .description(
      'Which deliveries are removed: those beyond [webhook] KEEP_DELIVERIES of each hook, or those OLDER_THAN; compatible servers have OlderThan.',
    )
    .meta({ compatible: [{ from: /./, to: 'OlderThan' }] }),
  OLDER_THAN: durationSetting('168h').description('Age at which a delivery that came to its end is removed.'),
});
