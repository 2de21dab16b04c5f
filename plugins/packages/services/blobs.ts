import type { Readable } from 'node:stream';
import {
  type BackupRows,
  type NamedBlob,
  Problem,
  type Actor,
  type Database,
  type Finding,
  type Locks,
  type Storage,
  type StorageArea,
} from '@mortise/plugin-sdk';
import type { ReceivedBlob } from '../api.js';
import { BlobRow, toBlob } from '../models/blob.js';
import { FileRow } from '../models/file.js';
import type { Quota } from './quota.js';

export const blobKey = (sha256: string) => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

/** What a back-up must hold for the rows of its moment. */
export async function* namedBlobs(rows: BackupRows): AsyncGenerator<NamedBlob> {
  for await (const [sha256, size] of rows.rows('package_blob', ['sha256', 'size']))
    yield { area: 'packages', key: blobKey(String(sha256)), size: Number(size), sha256: String(sha256) };
}

/** Content of packages: bytes first, the row after, so that a kill leaves only what the sweeper takes. */
export class Blobs {
  readonly area: StorageArea;

  constructor(
    private readonly database: Database,
    storage: Storage,
    private readonly locks: Locks,
    private readonly quota: Quota,
  ) {
    this.area = storage.area('packages');
  }

  async receive(type: string, content: Readable | Buffer, actor: Actor, declaredSize?: number): Promise<ReceivedBlob> {
    const limit = this.quota.fileLimit(type, actor);
    const known = Buffer.isBuffer(content) ? content.length : declaredSize;
    if (limit >= 0 && known !== undefined && known > limit) throw this.quota.tooLarge();
    const stored = await this.area.putByHash(content, limit >= 0 ? { maxBytes: limit } : {}).catch((error: unknown) => {
      throw Problem.is(error) && error.code === 'too_large' ? this.quota.tooLarge() : error;
    });
    return this.locks.hold(lockOf(stored.sha256), async () => {
      // the sweeper may have taken the bytes between the two steps; it holds the same lock
      if (!(await this.area.stat(blobKey(stored.sha256))))
        throw new Problem('unavailable', 'The upload was interrupted by a clean-up. Try again.');
      return this.database.write(async () => {
        const before = await this.database.query(BlobRow).findOne({ sha256: stored.sha256 });
        if (before) {
          await this.database.query(BlobRow).patch({ created_at: Date.now() }).where('id', before.id);
          return toBlob(before);
        }
        const { size, md5, sha1, sha256, sha512 } = stored;
        return toBlob(
          await this.database.query(BlobRow).insert({ size, md5, sha1, sha256, sha512, created_at: Date.now() }),
        );
      });
    });
  }

  async open(sha256: string, range?: { start: number; end?: number }): Promise<Readable> {
    return (await this.area.get(blobKey(sha256), range)).stream;
  }

  /** Rows whose content is gone, and content that belongs to nothing. */
  async *check(fix: boolean): AsyncGenerator<Finding> {
    let checked = 0;
    for (let after = 0; ;) {
      const rows = await this.database.query(BlobRow).where('id', '>', after).orderBy('id').limit(500);
      for (const row of rows) {
        checked++;
        const info = await this.area.stat(blobKey(row.sha256));
        if (info?.size === Number(row.size)) continue;
        const state = info ? `has ${info.size} bytes instead of ${row.size}` : 'is gone';
        yield { level: 'error', text: `the content ${row.sha256} of a package ${state}; publish it again` };
      }
      if (rows.length < 500) break;
      after = rows.at(-1)!.id;
    }
    const before = Date.now() - 86_400_000;
    const { signal } = new AbortController();
    const idle = fix ? await this.sweep(before, signal) : await this.sweepBytes(before, signal, true);
    if (idle) yield { level: 'warning', text: `${idle} contents belong to no package`, fixed: fix };
    yield { level: 'ok', text: `${checked} contents of packages were looked at` };
  }

  /** Rows without files, and bytes without rows, when both are older than `before`. Gives how many went. */
  async sweep(before: number, signal: AbortSignal): Promise<number> {
    let gone = 0;
    for (;;) {
      const idle = (await this.database
        .knex()('package_blob as b')
        .leftJoin('package_file as f', 'f.blob_id', 'b.id')
        .whereNull('f.id')
        .where('b.created_at', '<', before)
        .select('b.sha256')
        .limit(500)) as { sha256: string }[];
      if (idle.length === 0 || signal.aborted) break;
      let went = 0;
      for (const { sha256 } of idle) if (await this.sweepOne(sha256, before)) went++;
      gone += went;
      // what could not go now would be found for ever
      if (went === 0) break;
    }
    return gone + (await this.sweepBytes(before, signal));
  }

  /** These, where nothing refers to them and they are older. */
  async sweepOf(digests: readonly string[], before: number): Promise<void> {
    for (const sha256 of new Set(digests)) await this.sweepOne(sha256, before);
  }

  private sweepOne(sha256: string, before: number): Promise<boolean> {
    return this.locks.hold(lockOf(sha256), async () => {
      const info = await this.area.stat(blobKey(sha256));
      if (info && info.modifiedAt >= before) return false;
      const removed = await this.database.write(() =>
        this.database
          .query(BlobRow)
          .delete()
          .where({ sha256 })
          .where('created_at', '<', before)
          .whereNotExists(
            this.database.query(FileRow).alias('f').whereColumn('f.blob_id', 'package_blob.id').select('f.id'),
          ),
      );
      if (removed) await this.area.delete(blobKey(sha256));
      return removed > 0;
    });
  }

  /** Content whose row was never written: the process was killed between the two. */
  private async sweepBytes(before: number, signal: AbortSignal, isTrial = false): Promise<number> {
    let gone = 0;
    let batch: string[] = [];
    const flush = async () => {
      const rows = await this.database.query(BlobRow).select('sha256').whereIn('sha256', batch);
      const known = new Set(rows.map((row) => row.sha256));
      for (const sha256 of batch.filter((one) => !known.has(one))) {
        await this.locks.hold(lockOf(sha256), async () => {
          const info = await this.area.stat(blobKey(sha256));
          const row = await this.database.query(BlobRow).findOne({ sha256 });
          if (!info || row || info.modifiedAt >= before) return;
          if (!isTrial) await this.area.delete(info.key);
          gone++;
        });
      }
      batch = [];
    };
    for await (const { key, modifiedAt } of this.area.list()) {
      if (signal.aborted) return gone;
      const sha256 = /([0-9a-f]{64})$/.exec(key)?.[1];
      if (!sha256 || modifiedAt >= before) continue;
      batch.push(sha256);
      if (batch.length >= 200) await flush();
    }
    await flush();
    return gone;
  }
}

const lockOf = (sha256: string) => `packages.blob.${sha256}`;
