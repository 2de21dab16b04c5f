import { Joi, listSetting } from '@mortise/plugin-sdk';

interface QuotaSettings {
  readonly ENABLED: boolean;
  readonly DEFAULT_GROUPS: readonly string[];
}

/** `[quota]` */
export const quotaSettings = Joi.object<QuotaSettings>({
  ENABLED: Joi.boolean().default(false).description('Limit what people and organizations may store.'),
  DEFAULT_GROUPS: listSetting('').description('Names of the quota groups that hold for whoever is in none.'),
});

/** A size as `parseSize` reads it; -1: any. */
export const sizePattern = /^\s*(?:-1|\d+(?:\.\d+)?\s*[kmgtp]?i?b?)\s*$/i;

/** `[quota.default]` */
export const defaultQuotaSettings = Joi.object<{ readonly TOTAL: string }>({
  TOTAL: Joi.string()
    .pattern(sizePattern, 'a size')
    .default('-1')
    .description(
      'Bytes that whoever is in no quota group may store in all, for instance 10 GiB, where none of the DEFAULT_GROUPS exists; -1: any number.',
    ),
});
