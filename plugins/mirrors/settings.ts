import { Joi } from '@mortise/plugin-sdk';
import { maxIntervalMs, parseInterval } from './services/interval.js';

/** `[mirror]` */
export interface MirrorSettings {
  readonly ENABLED: boolean;
  readonly DISABLE_NEW_PULL: boolean;
  readonly DISABLE_NEW_PUSH: boolean;
  /** Milliseconds. */
  readonly DEFAULT_INTERVAL: number;
  readonly MIN_INTERVAL: number;
}

const interval = (fallback: string): Joi.NumberSchema<number> =>
  Joi.any()
    .custom((value: unknown, helpers) => {
      const parsed = parseInterval(String(value));
      return parsed === undefined || parsed > maxIntervalMs ? helpers.error('any.invalid') : parsed;
    })
    .default(parseInterval(fallback))
    .meta({ default: fallback }) as unknown as Joi.NumberSchema<number>;

export const mirrorSettings = Joi.object<MirrorSettings>({
  ENABLED: Joi.boolean().default(true).description('Keep mirrors up to date; without it they stay as they are.'),
  DISABLE_NEW_PULL: Joi.boolean().default(false).description('Only administrators make new pull mirrors.'),
  DISABLE_NEW_PUSH: Joi.boolean().default(false).description('Only administrators make new push mirrors.'),
  DEFAULT_INTERVAL: interval('8h').description('Default interval for mirrors that do not set their own.'),
  MIN_INTERVAL: interval('10m').description('The shortest interval that can be chosen, at least 1m.'),
});

/** `[cron.update_mirrors]`, beside its times. */
export interface UpdateSettings {
  readonly PULL_LIMIT: number;
  readonly PUSH_LIMIT: number;
}

export const updateSettings = Joi.object<UpdateSettings>({
  PULL_LIMIT: Joi.number().integer().min(-1).default(50).description('Pull mirrors that are started at once; -1: all.'),
  PUSH_LIMIT: Joi.number().integer().min(-1).default(50).description('Push mirrors that are started at once; -1: all.'),
});
