import type { BackupRows, Database, Finding, NamedBlob, StorageArea } from '@mortise/plugin-sdk';
import { AttachmentRow } from '../models/attachment.js';
import { storageKey } from './attachment-store.js';

const uuidOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** What a back-up must hold for the rows of its moment. */
export async function* namedBlobs(rows: BackupRows): AsyncGenerator<NamedBlob> {
  const columns = ['kind', 'uuid', 'size', 'sha256', 'external_url'];
  for await (const [kind, uuid, size, sha256, external] of rows.rows('attachment', columns)) {
    if (external) continue;
    const key = storageKey({ kind: String(kind), uuid: String(uuid) });
    yield { area: 'attachments', key, size: Number(size), ...(sha256 ? { sha256: String(sha256) } : {}) };
  }
}

/** The contents in the store beside their rows. */
export class Contents {
  constructor(private readonly deps: { readonly database: Database; readonly area: StorageArea }) {}

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.deps.area.delete(key);
  }

  /** Removes contents that no row names; young ones may be on their way. Tells how many; as a trial it only counts them. */
  async sweep(olderThan = 3_600_000, signal?: AbortSignal, isTrial = false): Promise<number> {
    const { area } = this.deps;
    let removed = 0;
    let batch: string[] = [];
    const flush = async () => {
      const known = new Set(await this.#known(batch.map(uuidOf)));
      for (const key of batch) {
        if (known.has(uuidOf(key))) continue;
        if (!isTrial) await area.delete(key);
        removed++;
      }
      batch = [];
    };
    for await (const info of area.list()) {
      if (signal?.aborted) break;
      if (info.modifiedAt > Date.now() - olderThan) continue;
      if (batch.push(info.key) >= 500) await flush();
    }
    if (batch.length) await flush();
    return removed;
  }

  async #known(uuids: readonly string[]): Promise<string[]> {
    const rows = await this.deps.database
      .query(AttachmentRow)
      .select('uuid')
      .whereIn('uuid', [...uuids]);
    return rows.map((row) => row.uuid);
  }

  /** Rows whose content is gone, and contents that no row names. */
  async *check({ fix }: { fix: boolean }): AsyncGenerator<Finding> {
    const { database, area } = this.deps;
    let checked = 0;
    for (let after = 0; ;) {
      const rows = await database.query(AttachmentRow).where('id', '>', after).orderBy('id').limit(500);
      for (const row of rows) {
        checked++;
        if (row.external_url || (await area.stat(storageKey(row)))) continue;
        yield {
          level: 'error',
          text: `the content of attachment ${row.id} (${row.name}) of ${row.kind} ${row.owner_id} is gone`,
        };
      }
      if (rows.length < 500) break;
      after = rows.at(-1)!.id;
    }
    const idle = await this.sweep(undefined, undefined, !fix);
    if (idle) yield { level: 'warning', text: `${idle} contents belong to no attachment`, fixed: fix };
    yield { level: 'ok', text: `${checked} attachments were looked at` };
  }
}
