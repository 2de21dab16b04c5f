import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BadRequest, NotFound, Problem, type Database, type StorageArea } from '@mortise/plugin-sdk';
import { lookup } from 'mime-types';
import type { Release, ReleaseAsset } from '../api.js';
import { AssetRow, ReleaseRow, toAsset } from '../models/rows.js';
import type { ReleaseLedger } from './ledger.js';

const folder = 'releases/';
export const keyOf = (uuid: string): string => `${folder}${uuid.slice(0, 2)}/${uuid}`;
const uuidOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** Does `[repository.release] ALLOWED_TYPES` let the name through? */
export function isAllowed(name: string, allowed: string): boolean {
  const wanted = allowed
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  if (wanted.length === 0) return true;
  const lower = name.toLowerCase();
  const type = lookup(lower) || 'application/octet-stream';
  return wanted.some((one) =>
    one.startsWith('.')
      ? lower.endsWith(one)
      : one === '*/*' || one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
  );
}

/** Files of releases: contents in the store, rows in the database; a kill between the two leaves what the sweep takes. */
export class AssetService {
  constructor(
    private readonly parts: {
      readonly database: Database;
      readonly area: StorageArea;
      readonly ledger: ReleaseLedger;
      readonly allowedTypes: string;
      /** Bytes; undefined: no limit. */
      readonly maxBytes: number | undefined;
    },
  ) {}

  get maxBytes(): number | undefined {
    return this.parts.maxBytes;
  }

  private check(name: string): void {
    if (!isAllowed(name, this.parts.allowedTypes)) throw BadRequest(`files like ${name} are not allowed here`);
  }

  /** Streams the content in; nothing is left when that fails. */
  async upload(release: Release, name: string, content: Readable, uploaderId: number): Promise<ReleaseAsset> {
    this.check(name);
    const { area, maxBytes } = this.parts;
    const uuid = randomUUID();
    const key = keyOf(uuid);
    const stored = await area.put(key, content, maxBytes === undefined ? {} : { maxBytes });
    try {
      return await this.insert(release, uploaderId, { uuid, name, size: stored.size, sha256: stored.sha256, url: '' });
    } catch (error) {
      await area.delete(key).catch(() => undefined);
      throw error;
    }
  }

  /** A file that lies elsewhere. */
  addExternal(release: Release, name: string, url: string, uploaderId: number): Promise<ReleaseAsset> {
    this.check(name);
    return this.insert(release, uploaderId, { uuid: randomUUID(), name, size: 0, sha256: '', url });
  }

  private insert(
    release: Release,
    uploaderId: number,
    file: { uuid: string; name: string; size: number; sha256: string; url: string },
  ): Promise<ReleaseAsset> {
    const { database } = this.parts;
    return database.write(async () => {
      if (!(await database.query(ReleaseRow).findById(release.id).select('id'))) throw NotFound('release');
      const row = await database.query(AssetRow).insertAndFetch({
        release_id: release.id,
        repository_id: release.repositoryId,
        uploader_id: uploaderId,
        uuid: file.uuid,
        name: file.name,
        size: file.size,
        sha256: file.sha256,
        external_url: file.url,
        download_count: 0,
        created_at: Date.now(),
      });
      return toAsset(row);
    });
  }

  rename(asset: ReleaseAsset, name: string): Promise<ReleaseAsset> {
    const { database } = this.parts;
    if (!isAllowed(name, this.parts.allowedTypes))
      throw new Problem('invalid', `files like ${name} are not allowed here`);
    return database.write(async () => {
      await database.query(AssetRow).findById(asset.id).patch({ name });
      const row = await database.query(AssetRow).findById(asset.id);
      if (!row) throw NotFound('file');
      return toAsset(row);
    });
  }

  remove(asset: ReleaseAsset): Promise<void> {
    return this.parts.ledger.removeAsset(asset.id);
  }

  async removeContents(uuids: readonly string[]): Promise<void> {
    for (const uuid of uuids) await this.parts.area.delete(keyOf(uuid));
  }

  /** Removes contents that no row names; young ones may be on their way. Tells how many. */
  async sweep(olderThan = 3_600_000, signal?: AbortSignal): Promise<number> {
    const { area } = this.parts;
    let removed = 0;
    let batch: string[] = [];
    const flush = async () => {
      const known = new Set(await this.known(batch.map(uuidOf)));
      for (const key of batch) {
        if (known.has(uuidOf(key))) continue;
        await area.delete(key);
        removed++;
      }
      batch = [];
    };
    for await (const info of area.list(folder)) {
      if (signal?.aborted) break;
      if (info.modifiedAt > Date.now() - olderThan) continue;
      if (batch.push(info.key) >= 500) await flush();
    }
    if (batch.length) await flush();
    return removed;
  }

  private async known(uuids: readonly string[]): Promise<string[]> {
    const rows = await this.parts.database
      .query(AssetRow)
      .select('uuid')
      .whereIn('uuid', [...uuids]);
    return rows.map((row) => row.uuid);
  }

  /** Rows whose content is gone, for the doctor. */
  async *missing(): AsyncGenerator<ReleaseAsset> {
    const { database, area } = this.parts;
    for (let after = 0; ;) {
      const rows = await database.query(AssetRow).where('id', '>', after).orderBy('id').limit(500);
      for (const row of rows) if (!row.external_url && !(await area.stat(keyOf(row.uuid)))) yield toAsset(row);
      if (rows.length < 500) return;
      after = rows.at(-1)!.id;
    }
  }
}
