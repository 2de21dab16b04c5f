import { defineService } from './references.js';

export interface MemoryCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V, options?: { size?: number; ttl?: number }): void;
  delete(key: string): void;
  clear(): void;
  /** The cached value, or loads it once however many ask at the same time. */
  load(key: string, loader: () => Promise<V>, options?: { size?: (value: V) => number; ttl?: number }): Promise<V>;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A number for this very object, for keys of {@link Cache.query}: a row that is read again is another object. */
export function identityOf(object: object): number {
  let known = identities.get(object);
  if (known === undefined) identities.set(object, (known = ++lastIdentity));
  return known;
}

interface QueryCacheOptions<V> {
  readonly also?: (value: V) => readonly string[];
  readonly size?: (value: V) => number;
}

/** See {@link Cache.query}. */
export interface QueryCache<V> {
  get(key: string): V | undefined;
  /** The cached value where it holds, as `get`; in a transaction too, as long as that changes nothing of its tables. */
  peek(key: string): V | undefined;
  delete(key: string): void;
  clear(): void;
  /**
   * The cached value, or loads it once however many ask at the same time. `also`: further keys of the value; `size`: its
   * bytes, where an estimate would be wrong or costly.
   */
  load(key: string, loader: () => Promise<V>, options?: QueryCacheOptions<V>): Promise<V>;
  /** The same for many keys: asks once for all that are not cached. Gives, and keeps, what the loader gives. */
  loadMany<K extends string | number>(
    keys: readonly K[],
    loader: (missing: readonly K[]) => Promise<ReadonlyMap<K, V>>,
    options?: QueryCacheOptions<V>,
  ): Promise<Map<K, V>>;
}

/** Something that is in no table, such as the references of a repository. */
export interface OutsideState {
  /** Of all that processes know: a path. */
  readonly key: string;
  /** Stands for it as it was when it was read; undefined: it was changing. */
  readonly word: string | undefined;
  /** The word that stands for it now; cheap, for it is asked each time that a value is answered which was made from it. */
  read(): string | undefined;
}

/** All caches of a process share the memory of `[cache] MAX_BYTES`; a value of more than a quarter of it is not stored. */
export interface Cache {
  /**
   * For values that never change under their key, or only with time (`ttl`, in milliseconds). With `max` it is bounded by
   * entries and outside of the memory that caches share: for what other caches must not evict, such as failed sign-ins.
   */
  memory<V>(name: string, options?: { max?: number; ttl?: number }): MemoryCache<V>;
  /**
   * For values made from the database: valid as long as the tables stay as they are from which the loader read, itself
   * or through other services and caches. Everything that the value depends on is read in the loader or stands in the
   * key (what is in no table, {@link noteRead} tells); for an object that the caller has read before, its {@link identityOf} does.
   */
  query<V>(name: string): QueryCache<V>;
  /**
   * For the loaders of {@link query} that run around the caller: they read something that is not in the database, and
   * their values are valid as long as it stays as it is too; or these tables, which somebody else asked for them.
   */
  noteRead(source: OutsideState | { readonly tables: readonly string[] }): void;
  /** Second level shared by processes (Redis when configured, else memory of this process). JSON values, ttl in ms. */
  shared(name: string): {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown, ttl: number): Promise<void>;
    delete(key: string): Promise<void>;
  };
}
export const cache = defineService<Cache>('core.cache');
