import { Joi } from '@mortise/plugin-sdk';

export interface CacheSettings {
  ADAPTER: 'memory' | 'redis';
  HOST: string;
}

/** `[cache]`: the second cache level. */
export const cacheSettings = Joi.object<CacheSettings, true>({
  ADAPTER: Joi.string()
    .valid('memory', 'redis')
    .default('memory')
    .description('memory, or redis; a shared Redis in [redis] is used by itself')
    .meta({ compatible: [{ from: /^(memcache|twoqueue)$/i, to: 'memory' }] }),
  HOST: Joi.string()
    .allow('')
    .default('')
    .description('Address of Redis for the cache; empty: the one of [redis]')
    .meta({ secret: true }),
});
