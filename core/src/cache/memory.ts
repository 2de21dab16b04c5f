import { LRUCache } from 'lru-cache';
import type { Database, MemoryCache } from '@mortise/plugin-sdk';

/** Values in a box, so that `undefined` and `null` can be cached as answers. */
interface Box<V> {
  readonly value: V;
}

interface SetOptions {
  readonly size?: number;
  readonly ttl?: number;
}

interface LoadOptions<V> {
  readonly size?: (value: V) => number;
  readonly ttl?: number;
}

/** Bounded by entries, by the sizes given on set, or by both. */
export class LruMemory<V> implements MemoryCache<V> {
  readonly #limits: { readonly max: number; readonly maxSize?: number; readonly ttl?: number };
  #made: LRUCache<string, Box<V>> | undefined;
  readonly #loading = new Map<string, Promise<V>>();
  readonly #sized: boolean;

  constructor({ max, maxSize, ttl }: { max?: number; maxSize?: number; ttl?: number }) {
    this.#sized = maxSize !== undefined;
    this.#limits = {
      max: max ?? (maxSize === undefined ? 1000 : 0),
      ...(maxSize === undefined ? {} : { maxSize }),
      ...(ttl === undefined ? {} : { ttl }),
    };
  }

  /** Made at the first use: the library reserves room for all entries at once. */
  get #entries(): LRUCache<string, Box<V>> {
    return (this.#made ??= new LRUCache<string, Box<V>>(this.#limits as { max: number }));
  }

  get(key: string): V | undefined {
    return this.#made?.get(key)?.value;
  }

  set(key: string, value: V, options: SetOptions = {}): void {
    // A value that is larger than the whole cache is not kept.
    const size = this.#sized ? { size: Math.max(1, Math.ceil(options.size ?? 1)) } : {};
    this.#entries.set(key, { value }, { ...size, ...(options.ttl === undefined ? {} : { ttl: options.ttl }) });
  }

  delete(key: string): void {
    this.#made?.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    if (this.#made?.size) this.#made.clear();
    this.#loading.clear();
  }

  load(key: string, loader: () => Promise<V>, options: LoadOptions<V> = {}): Promise<V> {
    const known = this.#made?.get(key);
    if (known) return Promise.resolve(known.value);
    const running = this.#loading.get(key);
    if (running) return running;
    const loading = loader().then(
      (value) => {
        // Not when the key was deleted meanwhile: the value may be from before.
        if (this.#loading.get(key) === loading) {
          this.#loading.delete(key);
          this.set(key, value, { size: options.size?.(value), ttl: options.ttl });
        }
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        throw error;
      },
    );
    this.#loading.set(key, loading);
    return loading;
  }
}

/** Valid for one epoch of the database; inside a transaction, which sees what others do not, it holds nothing. */
export class FreshCache<V> implements MemoryCache<V> {
  readonly #database: Pick<Database, 'epoch' | 'inTransaction'>;
  readonly #entries: LruMemory<V>;
  #epoch: number | undefined;

  constructor(database: Pick<Database, 'epoch' | 'inTransaction'>, max: number) {
    this.#database = database;
    this.#entries = new LruMemory<V>({ max });
  }

  #usable(): boolean {
    if (this.#database.inTransaction()) return false;
    const epoch = this.#database.epoch();
    if (epoch === undefined) return false;
    if (epoch !== this.#epoch) {
      // Also forgets what is being loaded: its answer may be from before the change.
      this.#entries.clear();
      this.#epoch = epoch;
    }
    return true;
  }

  get(key: string): V | undefined {
    return this.#usable() ? this.#entries.get(key) : undefined;
  }

  /** The value must have been read in the present epoch; `load` sees to that by itself. */
  set(key: string, value: V, options?: SetOptions): void {
    if (this.#usable()) this.#entries.set(key, value, options);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  load(key: string, loader: () => Promise<V>, options?: LoadOptions<V>): Promise<V> {
    // A commit while loading: the next look clears the entry, since it was filed under the epoch of the start.
    return this.#usable() ? this.#entries.load(key, loader, options) : loader();
  }
}
