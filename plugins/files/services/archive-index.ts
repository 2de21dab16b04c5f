import type { BlobInfo, Database, Logger, StorageArea } from '@mortise/plugin-sdk';
import { ArchiveRow } from '../models/archive.js';

interface ArchiveIndexDeps {
  readonly database: Database;
  readonly area: StorageArea;
  readonly log: Logger;
  /** Bytes of all archives together; 0: unlimited. */
  readonly maxBytes: number;
}

/** Rows that are looked at in one step of making room. */
const perStep = 200;
/** Uses that wait to be written; reading an archive writes nothing by itself. */
const maxPending = 5000;

/**
 * Keeps the archives of the site within their budget: those that nobody has asked for the longest go first. A kill
 * between row and content leaves content without a row; the nightly `sync` finds it.
 */
export class ArchiveIndex {
  readonly #pending = new Map<string, { bytes: number; at: number }>();

  constructor(private readonly deps: ArchiveIndexDeps) {}

  get maxBytes(): number {
    return this.deps.maxBytes;
  }

  used({ key, size }: BlobInfo, at = Date.now()): void {
    this.#pending.delete(key);
    this.#pending.set(key, { bytes: size, at });
    if (this.#pending.size > maxPending) this.#pending.delete(this.#pending.keys().next().value!);
  }

  /** Writes down what was used since the last time. */
  async flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    const rows = [...this.#pending].map(([key, { bytes, at }]) => ({
      key,
      repository_id: repositoryOf(key),
      bytes,
      used_at: at,
    }));
    this.#pending.clear();
    await this.deps.database.write(async () => {
      for (let from = 0; from < rows.length; from += perStep) {
        await this.deps.database
          .knex()('file_archive')
          .insert(rows.slice(from, from + perStep))
          .onConflict('key')
          .merge(['bytes', 'used_at']);
      }
    });
  }

  /** Deletes the least recently used until the rest fits; gives how many went. */
  async makeSpace(): Promise<number> {
    const { database, area, log, maxBytes } = this.deps;
    await this.flush();
    if (maxBytes <= 0) return 0;
    let count = 0;
    for (;;) {
      const gone = await database.write(async () => {
        const sum = await database.query(ArchiveRow).sum('bytes as bytes').first();
        let over = Number(sum?.bytes ?? 0) - maxBytes;
        if (over <= 0) return [];
        const oldest = await database.query(ArchiveRow).orderBy('used_at').orderBy('key').limit(perStep);
        const keys: string[] = [];
        for (const { key, bytes } of oldest) {
          if (over <= 0) break;
          keys.push(key);
          over -= Number(bytes);
        }
        await database.query(ArchiveRow).delete().whereIn('key', keys);
        return keys;
      });
      if (gone.length === 0) return count;
      for (const key of gone)
        await area
          .delete(key)
          .catch((error: unknown) => log.warn('could not delete an archive', { event: 'archive.delete', key, error }));
      count += gone.length;
    }
  }

  async remove(key: string): Promise<void> {
    this.#pending.delete(key);
    await this.deps.area.delete(key);
    await this.deps.database.write(async () => this.deps.database.query(ArchiveRow).deleteById(key));
  }

  async forget(repositoryId: number): Promise<void> {
    const { database, area } = this.deps;
    for (const key of this.#pending.keys()) if (repositoryOf(key) === repositoryId) this.#pending.delete(key);
    for await (const blob of area.list(`${repositoryId}/`)) await area.delete(blob.key);
    await database.write(async () => database.query(ArchiveRow).delete().where('repository_id', repositoryId));
  }

  /** Deletes what is older than `age` milliseconds, and learns of contents that no row names. */
  async clean(age: number): Promise<void> {
    const { database, area } = this.deps;
    await this.flush();
    const limit = Date.now() - age;
    const there = new Set<string>();
    for await (const blob of area.list()) {
      if (blob.modifiedAt < limit) {
        await this.remove(blob.key);
        continue;
      }
      there.add(blob.key);
      if (!(await database.query(ArchiveRow).findById(blob.key))) this.used(blob, blob.modifiedAt);
      if (this.#pending.size >= perStep) await this.flush();
    }
    const rows = await database.query(ArchiveRow).select('key').where('used_at', '<', limit);
    for (const { key } of rows) if (!there.has(key)) await this.remove(key);
    await this.makeSpace();
  }
}

const repositoryOf = (key: string): number => Number(key.split('/', 1)[0]) || 0;
