import { Joi } from '@mortise/plugin-sdk';
import { mailChoices, type MailChoice } from './services/mail-choices.js';

export const serviceSettings = Joi.object<{ readonly ENABLE_NOTIFY_MAIL: boolean }>({
  ENABLE_NOTIFY_MAIL: Joi.boolean().default(false).description('Notifications are also sent by mail'),
});

export const adminSettings = Joi.object<{ readonly DEFAULT_EMAIL_NOTIFICATIONS: MailChoice }>({
  DEFAULT_EMAIL_NOTIFICATIONS: Joi.string()
    .valid(...mailChoices)
    .default('enabled')
    .description(
      'Which notifications accounts get by mail that have not chosen: enabled, onmention, andyourown or disabled',
    ),
});
