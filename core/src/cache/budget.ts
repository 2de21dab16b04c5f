import { LRUCache } from 'lru-cache';
import { estimatedSize } from '@mortise/plugin-sdk';

/** What an entry takes beside its key and its value. */
const entryBytes = 200;

interface StoreOptions {
  readonly ttl?: number;
  /** Bounded by its number of entries instead, and outside of the budget, which never evicts them. */
  readonly max?: number;
}

interface SetOptions {
  /** Of the value; without it an estimate. */
  readonly bytes?: number | undefined;
  readonly ttl?: number | undefined;
}

interface Evictable {
  readonly size: { readonly bytes: number };
  /** Forgets what was not asked for the longest; gives its bytes. */
  evict(): number;
}

/**
 * The bytes that all caches of a process take together. Where they become too many, the largest cache loses what was not
 * asked for the longest, so a cache that is flooded evicts its own entries and not those of others.
 */
export class CacheBudget {
  /** A larger value would evict many others. */
  readonly maxEntryBytes: number;
  #stores: WeakRef<Evictable>[] = [];
  #used = 0;

  constructor(readonly maxBytes: number) {
    this.maxEntryBytes = maxBytes / 4;
  }

  store<V extends object>(options: StoreOptions = {}): CacheStore<V> {
    const store = new CacheStore<V>(this, options);
    if (options.max === undefined) this.#stores.push(new WeakRef<Evictable>(store));
    return store;
  }

  /** A store became larger by these bytes, or smaller. */
  resized(bytes: number): void {
    this.#used += bytes;
    if (this.#used > this.maxBytes) this.#makeRoom();
  }

  #makeRoom(): void {
    // stores of stopped hosts were collected as garbage
    const stores = this.#stores.map((one) => one.deref()).filter((one) => one !== undefined);
    this.#stores = this.#stores.filter((one) => one.deref());
    this.#used = stores.reduce((sum, { size }) => sum + size.bytes, 0);
    while (this.#used > this.maxBytes) {
      const largest = stores.reduce((one, other) => (other.size.bytes > one.size.bytes ? other : one));
      this.#used -= largest.evict();
    }
  }
}

/** The entries of one cache, those that were asked for last at the end. */
export class CacheStore<V extends object> implements Evictable {
  readonly #budget: CacheBudget;
  readonly #options: StoreOptions;
  #cached: LRUCache<string, V> | undefined;

  constructor(budget: CacheBudget, options: StoreOptions) {
    this.#budget = budget;
    this.#options = options;
  }

  /** Made at the first use: the library reserves room for `max` entries at once. */
  get #entries(): LRUCache<string, V> {
    const { max, ttl = 0 } = this.#options;
    return (this.#cached ??= new LRUCache(max === undefined ? { maxSize: this.#budget.maxBytes, ttl } : { max, ttl }));
  }

  /** `bytes` is 0 where entries are bounded. */
  get size(): { entries: number; bytes: number } {
    return { entries: this.#cached?.size ?? 0, bytes: this.#cached?.calculatedSize ?? 0 };
  }

  get(key: string): V | undefined {
    return this.#cached?.get(key);
  }

  /** What is larger than a quarter of the budget is not stored. */
  set(key: string, entry: V, value: unknown, { bytes, ttl }: SetOptions = {}): void {
    const lifetime = ttl === undefined ? {} : { ttl };
    if (this.#options.max !== undefined) return void this.#entries.set(key, entry, lifetime);
    const size = entryBytes + 2 * key.length + Math.max(0, bytes ?? estimatedSize(value, this.#budget.maxEntryBytes));
    if (size > this.#budget.maxEntryBytes) return this.delete(key);
    const before = this.size.bytes;
    this.#entries.set(key, entry, { size: Math.ceil(size), ...lifetime });
    this.#budget.resized(this.size.bytes - before);
  }

  delete(key: string): void {
    const before = this.size.bytes;
    if (this.#cached?.delete(key)) this.#budget.resized(this.size.bytes - before);
  }

  clear(): void {
    const before = this.size.bytes;
    this.#cached?.clear();
    this.#budget.resized(-before);
  }

  evict(): number {
    const before = this.size.bytes;
    this.#entries.pop();
    return before - this.size.bytes;
  }
}
