import type { Redis } from 'ioredis';
import type { Logger, MemoryCache } from '@mortise/plugin-sdk';
import type { RedisSettings } from '../broker/settings.js';

export interface SharedStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, ttl: number): Promise<void>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

/** Without Redis: this process only. Keeps JSON text, so that both levels give values of the same kind. */
export function memoryStore(entries: MemoryCache<string>): SharedStore {
  return {
    get: async (key) => {
      const text = entries.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    set: async (key, value, ttl) => {
      const text = JSON.stringify(value) as string | undefined;
      if (text === undefined || ttl <= 0) entries.delete(key);
      else entries.set(key, text, { ttl: Math.ceil(ttl) });
    },
    delete: async (key) => void entries.delete(key),
    close: async () => entries.clear(),
  };
}

/** What another program stored under the prefix may be no JSON: it is not a value of this cache. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A cache that is away is a cache that misses: errors are logged, never thrown. */
export class RedisStore implements SharedStore {
  readonly #address: string;
  readonly #prefix: string;
  readonly #timeout: number;
  readonly #log: Logger;
  #connection: Promise<Redis> | undefined;
  #warnedAt = 0;

  constructor({ CONN_STR, PREFIX, TIMEOUT }: Readonly<RedisSettings>, log: Logger) {
    this.#address = CONN_STR;
    this.#prefix = `${PREFIX}cache:`;
    this.#timeout = TIMEOUT;
    this.#log = log;
  }

  #connect(): Promise<Redis> {
    this.#connection ??= import('../broker/connection.js').then(({ connectRedis, openRedis }) => {
      const redis = openRedis(this.#address, this.#timeout, {
        maxRetriesPerRequest: 0,
        commandTimeout: this.#timeout,
        // nobody waits for a server that is away; it is asked again when it is back
        enableOfflineQueue: false,
      });
      redis.on('error', (error: Error) => this.#warn(error));
      // what is asked first waits for the first connection
      return connectRedis(redis).then(
        () => redis,
        () => redis,
      );
    });
    return this.#connection;
  }

  #warn(error: unknown): void {
    if (Date.now() - this.#warnedAt < 10_000) return;
    this.#warnedAt = Date.now();
    this.#log.warn('the cache in Redis does not answer', {
      event: 'cache.unavailable',
      error: error instanceof Error ? error.message : String(error),
    });
  }

  async #try<T>(work: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    try {
      return await work(await this.#connect());
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  async get(key: string): Promise<unknown> {
    const text = await this.#try((redis) => redis.get(this.#prefix + key));
    return typeof text === 'string' ? jsonOf(text) : undefined;
  }

  async set(key: string, value: unknown, ttl: number): Promise<void> {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined || ttl <= 0) return this.delete(key);
    await this.#try((redis) => redis.set(this.#prefix + key, text, 'PX', Math.ceil(ttl)));
  }

  async delete(key: string): Promise<void> {
    await this.#try((redis) => redis.del(this.#prefix + key));
  }

  async close(): Promise<void> {
    (await this.#connection)?.disconnect();
  }
}
