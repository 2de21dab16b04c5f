import { Joi } from '@mortise/plugin-sdk';

export interface CacheSettings {
  ADAPTER: 'memory' | 'redis';
  HOST: string;
  MAX_BYTES: number;
}

/** `[cache]`: what is remembered in memory, and the second cache level. */
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
  MAX_BYTES: Joi.number()
    .integer()
    .min(1024 * 1024)
    .default(128 * 1024 * 1024)
    .description('Memory that all caches of one process take together at most, in bytes (about)'),
});
