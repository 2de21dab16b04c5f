import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  Problem,
  writeBehind,
  type BlobInfo,
  type Database,
  type Logger,
  type Storage,
  type StorageArea,
  type WriteBehind,
} from '@mortise/plugin-sdk';

export const proxyCacheArea = 'package-upstreams';
export const useTable = 'package_kept_use';

/** Twelve digits of a key: a number that fits, and that two keys hardly ever share. */
const idOf = (key: string): number => Number.parseInt(key.slice(0, 12), 16);
const idOfPath = (path: string): number => idOf(path.slice(path.lastIndexOf('/') + 1));
const pathOf = (key: string): string => `${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;

interface CacheEntry {
  readonly path: string;
  readonly size: number;
  readonly usedAt: number;
}

export interface ProxyCacheLimits {
  /** Negative: any number. */
  readonly maxBytes: number;
  readonly maxEntries: number;
  /** Entries considered together by an eviction. */
  readonly trimBatch: number;
}
/** What the smallest entry takes of a disk. */
const minEntryBytes = 4096;
export const defaultLimits = { maxEntries: 1_000_000, trimBatch: 50_000 } as const;

const countedSize = (size: number): number => Math.max(size, minEntryBytes);

/**
 * What was got from upstreams, by hashes of where it came from. The storage is all there is to know; rows tell nothing but
 * when something was last used.
 */
export class ProxyCache {
  readonly uses: WriteBehind;
  private readonly area: StorageArea;
  /** Bytes added since the last scan of the cache. */
  private added = 0;
  private addedEntries = 0;

  constructor(
    private readonly database: Database,
    storage: Storage,
    log: Logger,
    private readonly limits: ProxyCacheLimits,
    /** Enqueues a scan of the cache. */
    private readonly trimSoon: () => Promise<unknown>,
  ) {
    this.area = storage.area(proxyCacheArea);
    this.uses = writeBehind({
      name: 'times of use of content from upstreams',
      keep: 'latest',
      delayMs: 30_000,
      log,
      write: (values) =>
        database.write(async () => {
          for (let at = 0; at < values.length; at += 200) {
            const rows = values.slice(at, at + 200).map(([id, used_at]) => ({ id, used_at }));
            await database.knex()(useTable).insert(rows).onConflict('id').merge();
          }
        }),
    });
  }

  static key(...parts: readonly string[]): string {
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  used(key: string): void {
    this.uses.add(idOf(key), Date.now());
  }

  stat(key: string): Promise<BlobInfo | undefined> {
    return this.area.stat(pathOf(key));
  }

  async open(key: string, range?: { start: number; end?: number }): Promise<Readable> {
    return (await this.area.get(pathOf(key), range)).stream;
  }

  /** Undefined: it is not there, or just went. `when` runs the work of reading, by its size. */
  async read(
    key: string,
    when: (size: number, work: () => Promise<Buffer>) => Promise<Buffer>,
  ): Promise<Buffer | undefined> {
    const info = await this.stat(key);
    if (!info) return undefined;
    try {
      return await when(info.size, async () => Buffer.concat((await (await this.open(key)).toArray()) as Buffer[]));
    } catch (error) {
      const isGone =
        (Problem.is(error) && error.code === 'not_found') || (error as { code?: string }).code === 'ENOENT';
      if (isGone) return undefined;
      throw error;
    }
  }

  async put(key: string, content: Readable | Buffer): Promise<void> {
    const { size } = await this.area.put(pathOf(key), content);
    this.used(key);
    this.added += countedSize(size);
    this.addedEntries++;
    const { maxBytes, maxEntries } = this.limits;
    if (maxBytes < 0) return;
    if (this.added > maxBytes / 10 || this.addedEntries > maxEntries / 10) {
      this.added = 0;
      this.addedEntries = 0;
      await this.trimSoon();
    }
  }

  delete(key: string): Promise<void> {
    return this.area.delete(pathOf(key));
  }

  /**
   * Removes what was not used for the longest time until a tenth of the room is free, a bounded number at a time, so that
   * however many there are, their list is never in memory. Gives how many bytes went.
   */
  async trim(signal: AbortSignal): Promise<number> {
    await this.uses.flush();
    let gone = 0;
    for (let isFirst = true; ; isFirst = false) {
      const { total, count, oldest } = await this.scan(signal, isFirst);
      const removed = signal.aborted ? 0 : await this.removeOldest(total, count, oldest, !isFirst, signal);
      gone += removed;
      if (removed === 0 || oldest.length >= count) return gone;
    }
  }

  /** One walk through all: their sums, and those that were not used for the longest time. */
  private async scan(signal: AbortSignal, mayForget: boolean) {
    const { trimBatch } = this.limits;
    const unseen = mayForget ? await this.oldestUses() : new Set<number>();
    let oldest: CacheEntry[] = [];
    let total = 0;
    let count = 0;
    let batch: BlobInfo[] = [];
    const cut = () => {
      oldest.sort((one, other) => one.usedAt - other.usedAt);
      oldest = oldest.slice(0, trimBatch);
    };
    const take = async () => {
      const ids = batch.map(({ key }) => idOfPath(key));
      const rows = (await this.database.knex()(useTable).whereIn('id', ids).select('id', 'used_at')) as {
        id: number | string;
        used_at: number | string;
      }[];
      const usedAt = new Map(rows.map((row) => [Number(row.id), Number(row.used_at)]));
      for (const [at, { key: path, size, modifiedAt }] of batch.entries()) {
        unseen.delete(ids[at]!);
        oldest.push({ path, size: countedSize(size), usedAt: Math.max(modifiedAt, usedAt.get(ids[at]!) ?? 0) });
      }
      batch = [];
      if (oldest.length > trimBatch * 2) cut();
    };
    for await (const info of this.area.list()) {
      if (signal.aborted) return { total, count, oldest };
      total += countedSize(info.size);
      count++;
      batch.push(info);
      if (batch.length >= 500) await take();
    }
    await take();
    cut();
    // times of what is gone, a bit at a time: they cost next to nothing
    await this.forget([...unseen]);
    return { total, count, oldest };
  }

  private async removeOldest(
    total: number,
    count: number,
    oldest: readonly CacheEntry[],
    isGoingOn: boolean,
    signal: AbortSignal,
  ): Promise<number> {
    const { maxBytes, maxEntries } = this.limits;
    const isOver = (part: number, gone: number, entries: number) =>
      total - gone > maxBytes * part || count - entries > maxEntries * part;
    if (maxBytes < 0 || !isOver(isGoingOn ? 0.9 : 1, 0, 0)) return 0;
    let gone = 0;
    const ids: number[] = [];
    for (const { path, size } of oldest) {
      if (signal.aborted || !isOver(0.9, gone, ids.length)) break;
      await this.area.delete(path);
      gone += size;
      ids.push(idOfPath(path));
    }
    await this.forget(ids);
    return gone;
  }

  private async oldestUses(): Promise<Set<number>> {
    const rows = (await this.database.knex()(useTable).orderBy('used_at').limit(1000).select('id')) as {
      id: number | string;
    }[];
    return new Set(rows.map(({ id }) => Number(id)));
  }

  private async forget(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += 500)
      await this.database.write(async () => {
        await this.database
          .knex()(useTable)
          .whereIn('id', ids.slice(at, at + 500))
          .delete();
      });
  }
}
