import { LRUCache } from 'lru-cache';
import type { MemoryCache } from '@mortise/plugin-sdk';

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
  #cached: LRUCache<string, Box<V>> | undefined;
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
    return (this.#cached ??= new LRUCache<string, Box<V>>(this.#limits as { max: number }));
  }

  /** `bytes` is 0 where entries alone are bounded. */
  get size(): { entries: number; bytes: number } {
    return { entries: this.#cached?.size ?? 0, bytes: this.#sized ? (this.#cached?.calculatedSize ?? 0) : 0 };
  }

  get(key: string): V | undefined {
    return this.#cached?.get(key)?.value;
  }

  set(key: string, value: V, options: SetOptions = {}): void {
    // A value that is larger than the whole cache is not kept.
    const size = this.#sized ? { size: Math.max(1, Math.ceil(options.size ?? 1)) } : {};
    this.#entries.set(key, { value }, { ...size, ...(options.ttl === undefined ? {} : { ttl: options.ttl }) });
  }

  delete(key: string): void {
    this.#cached?.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    if (this.#cached?.size) this.#cached.clear();
    this.#loading.clear();
  }

  load(key: string, loader: () => Promise<V>, options: LoadOptions<V> = {}): Promise<V> {
    const known = this.#cached?.get(key);
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
