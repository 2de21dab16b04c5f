import type { Readable } from 'node:stream';
import { systemActor, type Database, type Jobs, type Locks, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { buildPackageIndex } from '../jobs/registry-upkeep.js';
import {
  type IndexFile,
  type Package,
  type PackageFile,
  type PackageFormat,
  type PackageIndexes,
  type ReceivedBlob,
} from '../api.js';
import { BlobRow } from '../models/blob.js';
import { FileRow, toFile } from '../models/file.js';
import { IndexMarkRow } from '../models/index-mark.js';
import { PackageRow } from '../models/package.js';
import { VersionRow } from '../models/version.js';
import type { Blobs } from './blobs.js';

interface IndexDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly locks: Locks;
  readonly accounts: Accounts;
  readonly blobs: Blobs;
  readonly formats: PointReader<PackageFormat>;
}

/** A note that is older was left by a process that is gone: a reader does the work. */
const abandonedMs = 10_000;
/** Clients read several files one after the other; so long they find those that they began with. */
const retentionMs = 15 * 60_000;
const safetyMs = 30_000;
/** Key of replaced files: no part begins so. */
export const replacedPrefix = '~';
const builder = systemActor('packages');
const isReplaced = ({ composite_key: key }: { readonly composite_key: string }) => key.startsWith(replacedPrefix);

/**
 * Modification time of a file: clients compare seconds (`If-Modified-Since`), so two contents never share one.
 */
function laterThan(earlier: readonly { readonly created_at: number }[], now: number): number {
  const seconds = earlier.map((row) => Math.floor(Number(row.created_at) / 1000));
  return Math.max(now, ...seconds.map((second) => (second + 1) * 1000));
}
const digests = { md5: 'b.md5', sha1: 'b.sha1', sha256: 'b.sha256', sha512: 'b.sha512' } as const;

function changedOf(marks: readonly IndexMarkRow[]): ReadonlyMap<string, readonly number[]> {
  const changed = new Map<string, Set<number>>();
  for (const { part, package_id } of marks) changed.set(part, (changed.get(part) ?? new Set()).add(package_id));
  return new Map([...changed].filter(([, ids]) => !ids.has(0)).map(([part, ids]) => [part, [...ids]]));
}

/** Index files of formats, in an internal package per owner and format, so that they share the storage of contents. */
export class Indexes implements PackageIndexes {
  constructor(private readonly deps: IndexDeps) {}

  private get database(): Database {
    return this.deps.database;
  }

  /** In the transaction of the change: the mark, and the job that rebuilds the index if no reader does before. */
  async mark(ownerId: number, type: string, parts: readonly string[], packageId = 0): Promise<void> {
    const format = this.deps.formats.get(type);
    if (!format?.index || parts.length === 0) return;
    await this.database.write(async () => {
      const created_at = Date.now();
      for (const part of new Set(parts))
        await this.database
          .query(IndexMarkRow)
          .insert({ owner_id: ownerId, type, part, package_id: packageId, created_at });
      await this.deps.jobs.enqueue(
        buildPackageIndex,
        { ownerId, type },
        { uniqueKey: `${type}:${ownerId}`, runAt: created_at + safetyMs },
      );
      this.database.afterCommit(() => this.buildPending(ownerId, type));
    });
  }

  async markFiles(package_: Package, files: readonly PackageFile[]): Promise<void> {
    const { index } = this.deps.formats.get(package_.type) ?? {};
    if (index && !package_.isInternal && files.length > 0)
      await this.mark(package_.ownerId, package_.type, index.partsOf(files, package_), package_.id);
  }

  /** Until nothing is noted. Who waits behind another finds the work done, mostly. */
  async buildPending(ownerId: number, type: string): Promise<void> {
    if (!(await this.oldestMark(ownerId, type))) return;
    await this.deps.locks.hold(`packages.index.${type}.${ownerId}`, async ({ signal }) => {
      while (!signal.aborted && (await this.buildOnce(ownerId, type)));
    });
  }

  private async oldestMark(ownerId: number, type: string): Promise<IndexMarkRow | undefined> {
    return this.database.query(IndexMarkRow).where({ owner_id: ownerId, type }).orderBy('id').first();
  }

  /** Gives whether there was anything to do. */
  private async buildOnce(ownerId: number, type: string): Promise<boolean> {
    const { accounts, formats, blobs } = this.deps;
    const marks = await this.database.query(IndexMarkRow).where({ owner_id: ownerId, type });
    if (marks.length === 0) return false;
    const owner = await accounts.byId(ownerId);
    const index = formats.get(type)?.index;
    const made: Record<string, readonly IndexFile[]> = {};
    if (owner && index) {
      const parts = [...new Set(marks.map(({ part }) => part))];
      const current = await this.current(ownerId, type);
      const keep = (content: Buffer | Readable) => blobs.receive(type, content, builder);
      Object.assign(made, await index.build({ owner, parts, changed: changedOf(marks), current, keep }));
    }
    const received: { part: string; name: string; blob: ReceivedBlob }[] = [];
    for (const [part, files] of Object.entries(made))
      for (const { name, content } of files)
        received.push({
          part,
          name,
          blob: Buffer.isBuffer(content) ? await blobs.receive(type, content, builder) : content,
        });
    const outdated = await this.database.write(async () => {
      const gone = owner && index ? await this.replace(ownerId, type, Object.keys(made), received) : [];
      const ids = marks.map(({ id }) => id);
      for (let at = 0; at < ids.length; at += 500)
        await this.database
          .query(IndexMarkRow)
          .delete()
          .whereIn('id', ids.slice(at, at + 500));
      return gone;
    });
    // a registry that changes all day would hold each index of the day until the night
    await blobs.sweepOf(outdated, Date.now() - retentionMs);
    return true;
  }

  /** Returns the digests of files that are no longer referenced. */
  private async replace(
    ownerId: number,
    type: string,
    parts: readonly string[],
    files: readonly { part: string; name: string; blob: ReceivedBlob }[],
  ): Promise<readonly string[]> {
    const now = Date.now();
    const versionId = await this.ensureIndexVersion(ownerId, type);
    const before = await this.rows(versionId);
    const outdated = before.filter((row) => isReplaced(row) && Number(row.created_at) < now - retentionMs);
    for (let at = 0; at < outdated.length; at += 500)
      await this.database
        .query(FileRow)
        .delete()
        .whereIn(
          'id',
          outdated.slice(at, at + 500).map(({ id }) => id),
        );
    const kept = new Set<number>();
    for (const { part, name, blob } of files) {
      const same = before.find((row) => row.composite_key === part && row.name === name);
      if (same?.blob_id === blob.id) kept.add(same.id);
    }
    for (const row of before) {
      if (!parts.includes(row.composite_key) || kept.has(row.id)) continue;
      const composite_key = `${replacedPrefix}${row.sha256}`;
      await this.database
        .query(FileRow)
        .delete()
        .where({ version_id: versionId, lower_name: row.lower_name, composite_key });
      const created_at = Math.max(now, Number(row.created_at));
      await this.database.query(FileRow).patch({ composite_key, created_at }).where('id', row.id);
    }
    const stays = before.filter(({ id }) => kept.has(id));
    for (const { part, name, blob } of files) {
      if (stays.some((row) => row.composite_key === part && row.name === name)) continue;
      await this.database.query(FileRow).insert({
        version_id: versionId,
        blob_id: blob.id,
        name,
        lower_name: name.toLowerCase(),
        composite_key: part,
        is_lead: false,
        created_at: laterThan(
          before.filter((row) => row.name === name && (row.composite_key === part || isReplaced(row))),
          now,
        ),
      });
    }
    return outdated.map(({ sha256 }) => sha256);
  }

  private async ensureIndexVersion(ownerId: number, type: string): Promise<number> {
    const found = await this.indexVersion(ownerId, type);
    if (found !== undefined) return found;
    const name = `_${type}`;
    const package_ = await this.database
      .query(PackageRow)
      .insert({ owner_id: ownerId, repository_id: 0, type, name, lower_name: name, is_internal: true });
    const version = await this.database.query(VersionRow).insert({
      package_id: package_.id,
      creator_id: 0,
      version: '_index',
      lower_version: '_index',
      metadata: {},
      is_internal: true,
      download_count: 0,
      created_at: Date.now(),
    });
    return version.id;
  }

  private async indexVersion(ownerId: number, type: string): Promise<number | undefined> {
    const row = await this.database
      .query(VersionRow)
      .alias('v')
      .join('package as p', 'p.id', 'v.package_id')
      .where({ 'p.owner_id': ownerId, 'p.type': type, 'p.lower_name': `_${type}`, 'v.lower_version': '_index' })
      .select('v.id')
      .first();
    return row?.id;
  }

  private async rows(versionId: number): Promise<(FileRow & BlobRow)[]> {
    return (await this.database
      .query(FileRow)
      .alias('f')
      .join('package_blob as b', 'b.id', 'f.blob_id')
      .where('f.version_id', versionId)
      .select('b.*', 'f.*')) as (FileRow & BlobRow)[];
  }

  async current(ownerId: number, type: string): Promise<Map<string, PackageFile[]>> {
    const filesByVersion = new Map<string, PackageFile[]>();
    const versionId = await this.indexVersion(ownerId, type);
    if (versionId === undefined) return filesByVersion;
    for (const row of await this.rows(versionId)) {
      if (isReplaced(row)) continue;
      filesByVersion.set(row.composite_key, [...(filesByVersion.get(row.composite_key) ?? []), toFile(row, row)]);
    }
    return filesByVersion;
  }

  async find(ownerId: number, type: string, part: string, name: string): Promise<PackageFile | undefined> {
    await this.finishExpired(ownerId, type);
    const versionId = await this.indexVersion(ownerId, type);
    if (versionId === undefined || part.startsWith(replacedPrefix) || name.startsWith('.')) return undefined;
    const row = await this.filesOf(versionId)
      .where({ 'f.composite_key': part, 'f.lower_name': name.toLowerCase() })
      .first();
    return row && toFile(row, row as unknown as BlobRow);
  }

  async byDigest(
    ownerId: number,
    type: string,
    algorithm: keyof typeof digests,
    digest: string,
  ): Promise<PackageFile | undefined> {
    const versionId = await this.indexVersion(ownerId, type);
    if (versionId === undefined) return undefined;
    const row = await this.filesOf(versionId)
      .where(digests[algorithm], digest.toLowerCase())
      .whereNot('f.lower_name', 'like', '.%')
      .first();
    return row && toFile(row, row as unknown as BlobRow);
  }

  private filesOf(versionId: number) {
    return this.database
      .query(FileRow)
      .alias('f')
      .join('package_blob as b', 'b.id', 'f.blob_id')
      .where('f.version_id', versionId)
      .select('b.*', 'f.*');
  }

  private async finishExpired(ownerId: number, type: string): Promise<void> {
    const mark = await this.oldestMark(ownerId, type);
    if (mark && Number(mark.created_at) < Date.now() - abandonedMs) await this.buildPending(ownerId, type);
  }
}
