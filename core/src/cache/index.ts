import type { Cache, QueryCache, Logger, MemoryCache } from '@mortise/plugin-sdk';
import type { RedisSettings } from '../broker/settings.js';
import { staleCheck } from './stale-check.js';
import { CacheBudget } from './budget.js';
import { TrackedCache, type QueryCacheDatabase } from './query-cache.js';
import { LruMemory } from './memory.js';
import type { CacheSettings } from './settings.js';
import { memoryStore, RedisStore, type SharedStore } from './shared-store.js';

export * from './settings.js';

interface Sized {
  readonly size: { readonly entries: number; readonly bytes: number };
}

interface CacheOptions {
  readonly settings: Readonly<CacheSettings>;
  readonly redis: Readonly<RedisSettings>;
  readonly database: QueryCacheDatabase;
  readonly log: Logger;
}

/** Entries of the caches of one name in this process, and their bytes; 0 where entries are bounded. */
interface CacheSize {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
}

export interface ManagedCache extends Cache {
  sizes(): readonly CacheSize[];
  close(): Promise<void>;
}

/** Redis is the second level when `[cache]` or `[redis]` names one; it is connected on first use. */
export function createCache({ settings, redis, database, log }: CacheOptions): ManagedCache {
  const address = settings.HOST || redis.CONN_STR;
  if (settings.ADAPTER === 'redis' && !address)
    throw new Error('[cache] ADAPTER = redis needs HOST, or [redis] CONN_STR');
  const budget = new CacheBudget(settings.MAX_BYTES);
  const caches: { readonly name: string; readonly cache: WeakRef<Sized> }[] = [];
  const tracked = <C extends Sized>(name: string, cache: C): C => {
    caches.push({ name, cache: new WeakRef(cache) });
    return cache;
  };
  const memory = <V>(name: string, options?: { max?: number; ttl?: number }): MemoryCache<V> =>
    tracked(name, new LruMemory<V>(budget.store(options)));
  let store: SharedStore | undefined;
  const shared = () =>
    (store ??= address ? new RedisStore({ ...redis, CONN_STR: address }, log) : memoryStore(memory('core.shared')));
  return {
    memory,
    query: <V>(name: string): QueryCache<V> =>
      tracked(
        name,
        new TrackedCache<V>(
          database,
          budget.store(),
          process.env.MORTISE_CHECK_CACHES ? staleCheck(name, database, log) : undefined,
        ),
      ),
    noteRead: (source) => ('tables' in source ? database.noteRead(source) : database.noteState(source)),
    sizes() {
      const sums = new Map<string, { entries: number; bytes: number }>();
      for (const { name, cache } of caches) {
        const { entries, bytes } = cache.deref()?.size ?? { entries: 0, bytes: 0 };
        const sum = sums.get(name);
        sums.set(name, { entries: entries + (sum?.entries ?? 0), bytes: bytes + (sum?.bytes ?? 0) });
      }
      return [...sums].map(([name, size]) => ({ name, ...size }));
    },
    shared: (name) => ({
      get: (key) => shared().get(`${name}:${key}`),
      set: (key, value, ttl) => shared().set(`${name}:${key}`, value, ttl),
      delete: (key) => shared().delete(`${name}:${key}`),
    }),
    close: async () => store?.close(),
  };
}
