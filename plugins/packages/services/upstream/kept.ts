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

export const keptArea = 'package-upstreams';
export const useTable = 'package_kept_use';

/** Twelve digits of a key: a number that fits, and that two keys hardly ever share. */
const idOf = (key: string): number => Number.parseInt(key.slice(0, 12), 16);
const pathOf = (key: string): string => `${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;

interface Entry {
  readonly path: string;
  readonly size: number;
  readonly usedAt: number;
}

/**
 * What was got from upstreams, by hashes of where it came from. The storage is all there is to know; rows tell nothing but
 * when something was last used.
 */
export class KeptContent {
  readonly uses: WriteBehind;
  private readonly area: StorageArea;
  /** Bytes that were added since the last look at the whole. */
  private added = 0;

  constructor(
    private readonly database: Database,
    storage: Storage,
    log: Logger,
    private readonly maxBytes: number,
    /** Has the whole looked at soon. */
    private readonly trimSoon: () => Promise<unknown>,
  ) {
    this.area = storage.area(keptArea);
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

  /** Undefined: it is not there, or just went. */
  async read(key: string): Promise<Buffer | undefined> {
    if (!(await this.stat(key))) return undefined;
    try {
      return Buffer.concat((await (await this.open(key)).toArray()) as Buffer[]);
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
    this.added += size;
    if (this.maxBytes >= 0 && this.added > this.maxBytes / 10) {
      this.added = 0;
      await this.trimSoon();
    }
  }

  delete(key: string): Promise<void> {
    return this.area.delete(pathOf(key));
  }

  /** Removes what was not used for the longest time until a tenth of the room is free. Gives how many bytes went. */
  async trim(signal: AbortSignal): Promise<number> {
    await this.uses.flush();
    const entries: Entry[] = [];
    let total = 0;
    let batch: BlobInfo[] = [];
    const look = async () => {
      const ids = batch.map(({ key }) => idOf(key.slice(key.lastIndexOf('/') + 1)));
      const rows = (await this.database.knex()(useTable).whereIn('id', ids).select('id', 'used_at')) as {
        id: number | string;
        used_at: number | string;
      }[];
      const usedAt = new Map(rows.map((row) => [Number(row.id), Number(row.used_at)]));
      for (const [at, { key: path, size, modifiedAt }] of batch.entries())
        entries.push({ path, size, usedAt: Math.max(modifiedAt, usedAt.get(ids[at]!) ?? 0) });
      batch = [];
    };
    for await (const info of this.area.list()) {
      if (signal.aborted) return 0;
      total += info.size;
      batch.push(info);
      if (batch.length >= 500) await look();
    }
    await look();
    await this.forgetOthers(entries);
    if (this.maxBytes < 0 || total <= this.maxBytes) return 0;
    entries.sort((one, other) => one.usedAt - other.usedAt);
    let gone = 0;
    for (const { path, size } of entries) {
      if (signal.aborted || total - gone <= this.maxBytes * 0.9) break;
      await this.area.delete(path);
      gone += size;
    }
    return gone;
  }

  /** Times of what is gone, a bit at a time: they cost next to nothing. */
  private async forgetOthers(entries: readonly Entry[]): Promise<void> {
    const known = new Set(entries.map(({ path }) => idOf(path.slice(path.lastIndexOf('/') + 1))));
    const oldest = (await this.database.knex()(useTable).orderBy('used_at').limit(1000).select('id')) as {
      id: number | string;
    }[];
    const gone = oldest.map(({ id }) => Number(id)).filter((id) => !known.has(id));
    if (gone.length === 0) return;
    await this.database.write(async () => {
      for (let at = 0; at < gone.length; at += 500)
        await this.database
          .knex()(useTable)
          .whereIn('id', gone.slice(at, at + 500))
          .delete();
    });
  }
}
