import { durationSetting, Joi } from '@mortise/plugin-sdk';

export interface RedisSettings {
  CONN_STR: string;
  PREFIX: string;
  TIMEOUT: number;
}

/** `[redis]`: the shared Redis; with it, messages and the second cache level reach all nodes. */
export const redisSettings = Joi.object<RedisSettings, true>({
  CONN_STR: Joi.string()
    .allow('')
    .default('')
    .description(
      'Address of Redis, redis://:password@host:6379/0, or redis+sentinel://:password@sentinel:26379,sentinel:26379/0?mastername=mymaster; empty: none',
    )
    .meta({ secret: true }),
  PREFIX: Joi.string()
    .allow('')
    .default('mortise:')
    .description('Put before each key and channel, so that installations can share one Redis'),
  TIMEOUT: durationSetting('2s').description('How long Redis may take to connect, and for one answer'),
});
