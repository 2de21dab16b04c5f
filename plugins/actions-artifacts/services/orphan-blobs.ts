import type { Database, Jobs, Storage } from '@mortise/plugin-sdk';
import { removeOrphanBlobs } from '../contract/cleanup-jobs.js';
import { ArtifactRow } from '../models/artifact.js';
import { CacheRow } from '../models/cache.js';
import { OrphanBlobRow } from '../models/orphan-blob.js';
import { PartRow } from '../models/part.js';

const batch = 200;
const day = 86_400_000;

/**
 * Content that has lost its row: noted in the transaction that deletes the row, removed by a job afterwards. What no
 * transaction knew of, because its writer was killed before, is found by the nightly comparison with the storage.
 */
export class OrphanBlobs {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly storage: Storage,
  ) {}

  /** Inside a transaction. */
  async add(area: string, keys: readonly string[]): Promise<void> {
    const named = keys.filter(Boolean);
    for (let at = 0; at < named.length; at += batch)
      await this.database
        .knex()('action_orphan_blob')
        .insert(named.slice(at, at + batch).map((key) => ({ area, key })));
    if (named.length > 0) await this.jobs.enqueue(removeOrphanBlobs, {}, { uniqueKey: removeOrphanBlobs.id });
  }

  async remove(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const rows = await this.database.query(OrphanBlobRow).orderBy('id').limit(batch);
      if (rows.length === 0) return;
      for (const { area, key } of rows) await this.storage.area(area).delete(key);
      await this.database.write(() =>
        this.database
          .query(OrphanBlobRow)
          .delete()
          .whereIn(
            'id',
            rows.map(({ id }) => id),
          ),
      );
    }
  }

  /** Content older than a day that no row knows. */
  async sweep(areas: readonly string[], now: number, signal: AbortSignal): Promise<void> {
    for (const name of areas) {
      const area = this.storage.area(name);
      let keys: string[] = [];
      const flush = async () => {
        const known = await this.#known(keys);
        for (const key of keys) if (!known.has(key)) await area.delete(key);
        keys = [];
      };
      for await (const { key, modifiedAt } of area.list()) {
        if (signal.aborted) return;
        if (modifiedAt < now - day) keys.push(key);
        if (keys.length >= batch) await flush();
      }
      if (keys.length > 0) await flush();
    }
  }

  async #known(keys: readonly string[]): Promise<Set<string>> {
    const orphans = new Set<string>();
    for (const { tableName } of [PartRow, ArtifactRow, CacheRow, OrphanBlobRow]) {
      const rows = await this.database.knex()<{ key: string }>(tableName).select('key').whereIn('key', keys);
      for (const { key } of rows) orphans.add(key);
    }
    return orphans;
  }
}
