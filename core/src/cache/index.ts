import type { Cache, FreshCache, Logger, MemoryCache } from '@mortise/plugin-sdk';
import type { RedisSettings } from '../broker/settings.js';
import { staleCheck } from './check.js';
import { TrackedCache, type FreshDatabase } from './fresh.js';
import { LruMemory } from './memory.js';
import type { CacheSettings } from './settings.js';
import { memoryStore, RedisStore, type SharedStore } from './shared.js';

export * from './settings.js';

export interface CacheOptions {
  readonly settings: Readonly<CacheSettings>;
  readonly redis: Readonly<RedisSettings>;
  readonly database: FreshDatabase;
  readonly log: Logger;
}

export interface CacheRoom extends Cache {
  close(): Promise<void>;
}

/** Redis is the second level when `[cache]` or `[redis]` names one; it is connected on first use. */
export function createCache({ settings, redis, database, log }: CacheOptions): CacheRoom {
  const address = settings.HOST || redis.CONN_STR;
  if (settings.ADAPTER === 'redis' && !address)
    throw new Error('[cache] ADAPTER = redis needs HOST, or [redis] CONN_STR');
  let store: SharedStore | undefined;
  const shared = () => (store ??= address ? new RedisStore(address, `${redis.PREFIX}cache:`, log) : memoryStore());
  return {
    memory: <V>(_name: string, options: { max?: number; maxSize?: number; ttl?: number }): MemoryCache<V> =>
      new LruMemory<V>(options),
    fresh: <V>(name: string, { max }: { max: number }): FreshCache<V> =>
      new TrackedCache<V>(
        database,
        max,
        process.env.MORTISE_CHECK_CACHES ? staleCheck(name, database, log) : undefined,
      ),
    shared: (name) => ({
      get: (key) => shared().get(`${name}:${key}`),
      set: (key, value, ttl) => shared().set(`${name}:${key}`, value, ttl),
      delete: (key) => shared().delete(`${name}:${key}`),
    }),
    close: async () => store?.close(),
  };
}
