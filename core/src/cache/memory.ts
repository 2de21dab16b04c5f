import type { MemoryCache } from '@mortise/plugin-sdk';
import type { CacheStore } from './budget.js';

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

/** Values that hold until they are deleted, evicted or too old. */
export class LruMemory<V> implements MemoryCache<V> {
  readonly #loading = new Map<string, Promise<V>>();

  constructor(private readonly store: CacheStore<Box<V>>) {}

  get size(): { entries: number; bytes: number } {
    return this.store.size;
  }

  get(key: string): V | undefined {
    return this.store.get(key)?.value;
  }

  set(key: string, value: V, { size, ttl }: SetOptions = {}): void {
    this.store.set(key, { value }, value, { bytes: size, ttl });
  }

  delete(key: string): void {
    this.store.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.store.clear();
    this.#loading.clear();
  }

  load(key: string, loader: () => Promise<V>, options: LoadOptions<V> = {}): Promise<V> {
    const known = this.store.get(key);
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
