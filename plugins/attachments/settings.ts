import { Joi } from '@mortise/plugin-sdk';

export interface AttachmentSettings {
  readonly ENABLED: boolean;
  readonly ALLOWED_TYPES: string;
  readonly MAX_SIZE: number;
  readonly MAX_FILES: number;
}

/** `[attachment]`: limits of all kinds that have none of their own. */
export const attachmentSettings = Joi.object<AttachmentSettings, true>({
  ENABLED: Joi.boolean().default(true).description('Accept attachments'),
  ALLOWED_TYPES: Joi.string()
    .allow('')
    .default(
      '.avif,.cpuprofile,.csv,.dmp,.docx,.fodg,.fodp,.fods,.fodt,.gif,.gz,.jpeg,.jpg,.json,.jsonc,.log,.md,.mov,.mp4,.odf,.odg,.odp,.ods,.odt,.patch,.pdf,.png,.pptx,.svg,.tgz,.txt,.webm,.webp,.xls,.xlsx,.zip',
    )
    .description('File endings or media types, separated by commas; empty: all'),
  MAX_SIZE: Joi.number().integer().min(0).default(100).description('Largest file in MiB'),
  MAX_FILES: Joi.number().integer().min(0).default(5).description('Most files at once'),
});
