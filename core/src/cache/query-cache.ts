import type { QueryCache } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { areUnchanged, TableSet, type ReadSources } from '../database/versions.js';
import type { CacheStore } from './budget.js';

export type QueryCacheDatabase = Pick<
  KernelDatabase,
  | 'dataVersion'
  | 'syncVersions'
  | 'inTransaction'
  | 'isWriting'
  | 'readFrom'
  | 'noteRead'
  | 'noteState'
  | 'followReads'
  | 'lastChange'
  | 'hasChanged'
>;

interface Entry<V> extends ReadSources {
  readonly value: V;
  /** Version of the data when the reading began. */
  readonly at: number;
}

interface LoadOptions<V> {
  readonly also?: (value: V) => readonly string[];
  readonly size?: (value: V) => number;
}

interface Loading<V> {
  readonly at: number;
  readonly reads: TableSet;
  readonly entry: Promise<Entry<V>>;
}

/**
 * Values that hold while the tables from which they were read stay as they are. Which tables these are is noted while
 * the loader runs. Inside a transaction, which sees what others do not, it is bypassed.
 */
export class TrackedCache<V> implements QueryCache<V> {
  readonly #database: QueryCacheDatabase;
  readonly #store: CacheStore<Entry<V>>;
  readonly #loading = new Map<string, Loading<V>>();

  /** `check` is asked about each value that is answered from here; for tests. */
  constructor(
    database: QueryCacheDatabase,
    store: CacheStore<Entry<V>>,
    private readonly check?: (
      key: string,
      value: unknown,
      loader: () => Promise<unknown>,
      isFresh: () => boolean,
    ) => Promise<void>,
  ) {
    this.#database = database;
    this.#store = store;
  }

  get size(): { entries: number; bytes: number } {
    return this.#store.size;
  }

  get(key: string): V | undefined {
    return this.#database.inTransaction() ? undefined : this.peek(key);
  }

  peek(key: string): V | undefined {
    if (this.#database.dataVersion() === undefined) return undefined;
    const entry = this.#currentEntry(key);
    return entry && !this.#database.isWriting(entry.sources) ? entry.value : undefined;
  }

  delete(key: string): void {
    this.#store.delete(key);
    this.#loading.delete(key);
  }

  clear(): void {
    this.#store.clear();
    this.#loading.clear();
  }

  load(key: string, loader: () => Promise<V>, options?: LoadOptions<V>): Promise<V> {
    if (this.#database.inTransaction()) return loader();
    const at = this.#database.dataVersion();
    return at === undefined ? this.#syncAndLoad(key, loader, options) : this.#loadAt(at, key, loader, options);
  }

  async loadMany<K extends string | number>(
    keys: readonly K[],
    loader: (missing: readonly K[]) => Promise<ReadonlyMap<K, V>>,
    options?: LoadOptions<V>,
  ): Promise<Map<K, V>> {
    const database = this.#database;
    if (keys.length === 0) return new Map();
    if (database.inTransaction()) return new Map(await loader(keys));
    if (database.dataVersion() === undefined) await database.syncVersions();
    const at = database.dataVersion();
    if (at === undefined) return new Map(await loader(keys));
    const values = new Map<K, V>();
    const missing: K[] = [];
    for (const key of new Set(keys)) {
      const entry = this.#currentEntry(String(key));
      if (entry) values.set(key, entry.value);
      else missing.push(key);
    }
    if (missing.length === 0) return values;
    const { value: loaded, sources, states } = await database.readFrom(() => loader(missing));
    database.noteRead(sources, states);
    const isCurrent = this.#isCurrent({ at, sources, states });
    for (const [key, value] of loaded) {
      values.set(key, value);
      if (isCurrent) this.#set(String(key), { value, at, sources, states }, options);
    }
    return values;
  }

  #set(key: string, entry: Entry<V>, options: LoadOptions<V> | undefined): void {
    const { value } = entry;
    const bytes = options?.size?.(value);
    for (const one of [key, ...(options?.also?.(value) ?? [])]) this.#store.set(one, entry, value, { bytes });
  }

  #currentEntry(key: string): Entry<V> | undefined {
    const entry = this.#store.get(key);
    if (!entry || !this.#isCurrent(entry)) return undefined;
    this.#database.noteRead(entry.sources, entry.states);
    return entry;
  }

  /** Is everything that it was read from unchanged? */
  #isCurrent({ at, sources, states }: Pick<Entry<V>, 'at' | 'sources' | 'states'>): boolean {
    return this.#database.lastChange(sources) <= at && (!states || areUnchanged(states));
  }

  async #syncAndLoad(key: string, loader: () => Promise<V>, options?: LoadOptions<V>): Promise<V> {
    await this.#database.syncVersions();
    const at = this.#database.dataVersion();
    return at === undefined ? loader() : this.#loadAt(at, key, loader, options);
  }

  #loadAt(at: number, key: string, loader: () => Promise<V>, options?: LoadOptions<V>): Promise<V> {
    const known = this.#currentEntry(key);
    if (known && this.check)
      return this.check(key, known.value, loader, () => this.#isCurrent(known)).then(() => known.value);
    if (known) return Promise.resolve(known.value);
    let loading = this.#loading.get(key);
    // What was read of a table before its last change must not answer those who came after it.
    if (
      !loading ||
      this.#database.hasChanged(loading.reads.names, loading.at) ||
      !areUnchanged(loading.reads.states ?? [])
    )
      loading = this.#start(at, key, loader, options);
    else this.#database.followReads(loading.reads);
    return loading.entry.then(({ value, sources, states }) => {
      this.#database.noteRead(sources, states);
      return value;
    });
  }

  #start(at: number, key: string, loader: () => Promise<V>, options?: LoadOptions<V>): Loading<V> {
    const reads = new TableSet();
    const forget = () => {
      const isOurs = this.#loading.get(key) === loading;
      if (isOurs) this.#loading.delete(key);
      return isOurs;
    };
    const entry = this.#database.readFrom(loader, reads).then(
      ({ value, sources, states }): Entry<V> => {
        const made = { value, at, sources, states };
        // Not when the key was deleted meanwhile.
        if (forget() && this.#isCurrent(made)) this.#set(key, made, options);
        return made;
      },
      (error: unknown) => {
        forget();
        throw error;
      },
    );
    const loading: Loading<V> = { at, reads, entry };
    this.#loading.set(key, loading);
    return loading;
  }
}
