import type { Readable } from 'node:stream';
import {
  Conflict,
  Invalid,
  Problem,
  TooLarge,
  type Actor,
  type Database,
  type Events,
  type PointReader,
  type Reply,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import {
  type Package,
  type PackageFile,
  type PackageFormat,
  type PackageStore,
  type PackageVersion,
  type RandomAccess,
  type ReceivedBlob,
} from '../api.js';
import { packageCreated, packageDeleted } from '../contract/packages.js';
import type { DownloadOptions, PackageDetails, PublishRequest } from '../contract/store.js';
import { FileRow } from '../models/file.js';
import { PackageRow, toPackage } from '../models/package.js';
import { toVersion, VersionRow } from '../models/version.js';
import type { Blobs } from './blobs.js';
import type { Downloads } from './downloads.js';
import { eventOf } from './package-event.js';
import type { Indexes } from './indexes.js';
import { PropertyRows, type PropertyOwner } from './properties.js';
import type { Quota } from './quota.js';
import { PackageReader } from './package-reader.js';
import { isRowRace } from './row-race.js';
import { t } from '../texts/index.js';

interface StoreDeps {
  readonly database: Database;
  readonly events: Events;
  readonly blobs: Blobs;
  readonly indexes: Indexes;
  readonly quota: Quota;
  readonly downloads: Downloads;
  readonly formats: PointReader<PackageFormat>;
  /** Formats with a proxy source, added when it is opened. */
  readonly withUpstream: ReadonlySet<string>;
  readonly accounts: Accounts;
  readonly site: Site;
}

/** Bytes of what a format keeps about a version; whole lists of versions are read at once. */
const maxMetadata = 256 * 1024;
function checkMetadata(metadata: Readonly<Record<string, unknown>> = {}): void {
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadata)
    throw TooLarge(`What the package says of itself is longer than ${maxMetadata / 1024} KiB.`);
}

/** Most attempts of a publication that races with another one, or with a removal, at the rows of its package. */
const maxRaces = 3;

/** The shared store of all formats (PKG-02 … PKG-06). Every change is one transaction. */
export class Store extends PackageReader implements PackageStore {
  readonly #properties: PropertyRows;

  constructor(private readonly deps: StoreDeps) {
    super(deps.database, deps.formats);
    this.#properties = new PropertyRows(deps.database);
  }

  sizeLimit(type: string, actor: Actor): number {
    return this.deps.quota.fileLimit(type, actor);
  }

  room(ownerId: number, actor: Actor): Promise<number | undefined> {
    return this.deps.quota.room(ownerId, actor);
  }

  receive(type: string, content: Readable | Buffer, actor: Actor, declaredSize?: number): Promise<ReceivedBlob> {
    return this.deps.blobs.receive(type, content, actor, declaredSize);
  }

  async publish(request: PublishRequest): Promise<PackageDetails> {
    checkMetadata(request.metadata);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.database.write(() => this.insert(request));
      } catch (error) {
        // two uploads into one new package at the same time: the second looks again and sees the first
        if (attempt < maxRaces && isRowRace(error)) continue;
        // Rebuilt before the answer, so that a client finds the new file in the index.
        if (error instanceof Problem && error.code === 'conflict')
          await this.deps.indexes.buildPending(request.owner.id, request.type);
        throw error;
      }
    }
  }

  /**
   * The row of a package is locked before any other of it, and what all packages of an owner share (the note that an index
   * has changed) after them. So changes of one package come one after the other, each sees what the one before left, and
   * none waits for a row that another holds which waits for it.
   */
  async lock({ id }: Pick<Package, 'id'>): Promise<boolean> {
    return (await this.database.query(PackageRow).findById(id).forUpdate()) !== undefined;
  }

  private async insert(request: PublishRequest): Promise<PackageDetails> {
    const { owner, actor, type } = request;
    const package_ = await this.needPackage(request);
    const before = await this.database
      .query(VersionRow)
      .findOne({ package_id: package_.id, lower_version: request.version.toLowerCase() });
    if (before && (request.onVersion ?? 'conflict') === 'conflict') throw Conflict('package version already exists');
    if (!before && !request.isInternal) await this.deps.quota.checkCount(owner.id, actor);
    if (!request.isInternal)
      await this.deps.quota.checkSize(
        owner.id,
        request.files.reduce((sum, file) => sum + file.blob.size, 0),
        actor,
      );
    const version = before
      ? toVersion(before)
      : toVersion(
          await this.database.query(VersionRow).insert({
            package_id: package_.id,
            creator_id: actor.id,
            version: request.version,
            lower_version: request.version.toLowerCase(),
            metadata: { ...request.metadata },
            is_internal: Boolean(request.isInternal),
            download_count: 0,
            created_at: Date.now(),
          }),
        );
    const replaced =
      before && request.onVersion === 'replace' ? ((await this.files([version.id])).get(version.id) ?? []) : [];
    await this.removeFiles(replaced.map((file) => file.id));
    // indexes follow from what there is
    if (request.isInternal !== true)
      await this.deps.quota.checkAndLock(
        owner.id,
        request.files.map((file) => file.blob),
      );
    await this.addFiles(version.id, request);
    if (request.isInternal === 'version') await this.deps.quota.checkWaiting(owner.id, actor);
    await this.#properties.add('version', version.id, request.versionProperties);
    const files = (await this.files([version.id])).get(version.id) ?? [];
    const details = { package: package_, version, files };
    await request.within?.(details);
    const added = new Set(request.files.map((file) => `${file.compositeKey ?? ''}/${file.name.toLowerCase()}`));
    const changed = files.filter((file) => added.has(`${file.compositeKey}/${file.lowerName}`));
    await this.deps.indexes.markFiles(package_, [...replaced, ...changed]);
    if (!before && !request.isInternal)
      await this.deps.events.emit(packageCreated, eventOf(package_, version, actor.id));
    this.announceChange(owner, package_, type);
    return details;
  }

  private async needPackage({ owner, type, name, repositoryId = 0, isInternal }: PublishRequest): Promise<Package> {
    const known = await this.find(owner.id, type, name);
    // one that goes meanwhile is made anew
    const found = known && (await this.lock(known)) ? known : undefined;
    if (!found) {
      const row = {
        owner_id: owner.id,
        repository_id: repositoryId,
        type,
        name,
        lower_name: name.toLowerCase(),
        is_internal: isInternal === true,
      };
      return toPackage(await this.database.query(PackageRow).insert(row));
    }
    if (!repositoryId || found.repositoryId) return found;
    await this.database.query(PackageRow).patch({ repository_id: repositoryId }).where('id', found.id);
    return { ...found, repositoryId };
  }

  private async addFiles(versionId: number, { files, onFile = 'conflict' }: PublishRequest): Promise<void> {
    for (const { name, blob, compositeKey = '', isLead = true, properties } of files) {
      const same = { version_id: versionId, lower_name: name.toLowerCase(), composite_key: compositeKey };
      const before = await this.database.query(FileRow).findOne(same);
      if (before && onFile === 'conflict') throw Conflict('package file already exists');
      if (before) await this.removeFiles([before.id]);
      const row = await this.database
        .query(FileRow)
        .insert({ ...same, blob_id: blob.id, name, is_lead: isLead, created_at: Date.now() });
      await this.#properties.add('file', row.id, properties);
    }
  }

  async setProperty(of: PropertyOwner, id: number, name: string, values: readonly string[]): Promise<void> {
    await this.database.write(() => this.#properties.replace(of, id, name, values));
  }

  async setMetadata(versionId: number, metadata: Readonly<Record<string, unknown>>): Promise<void> {
    checkMetadata(metadata);
    const changes = { metadata: { ...metadata } };
    await this.database.write(async () => {
      await this.database.query(VersionRow).patch(changes).where('id', versionId);
    });
  }

  deleteVersion(package_: Package, version: PackageVersion, actor: Actor): Promise<void> {
    return this.deleteVersions(package_, [version], actor);
  }

  async deleteVersions(package_: Package, versions: readonly PackageVersion[], actor: Actor): Promise<void> {
    await this.database.write(async () => {
      await this.lock(package_);
      await this.removeVersions(package_, versions, actor);
      await this.afterDelete(package_);
    });
  }

  /** By a clean-up rule: without events, since no user did it. */
  async cleanUp(package_: Package, versions: readonly PackageVersion[]): Promise<void> {
    await this.database.write(async () => {
      await this.lock(package_);
      await this.removeVersions(package_, versions, undefined);
      await this.afterDelete(package_);
    });
  }

  async deletePackage(package_: Package, actor: Actor): Promise<void> {
    await this.database.write(async () => {
      await this.lock(package_);
      await this.removeVersions(package_, await this.bareVersions(package_.id), actor);
      await this.#properties.remove('package', [package_.id]);
      const row = this.database.query(PackageRow).where('id', package_.id);
      if (!package_.isInternal && this.keepingNames().includes(package_.type)) await row.patch({ repository_id: 0 });
      else await row.delete();
      await this.afterDelete(package_);
    });
  }

  /**
   * Formats whose names stay their owners' for good, as packages without versions: else who installs one that was deleted
   * would get a stranger's package of the same name from the upstream.
   */
  private keepingNames(): string[] {
    // the formats tell when they are made
    this.deps.formats.list();
    return [...this.deps.withUpstream];
  }

  /**
   * A package outlives its last version until the nightly clean-up, so that its link and settings are there when the
   * next version is published soon (reference: 1.9). Gives how many went.
   */
  async removeEmptyPackages(): Promise<number> {
    const empty = this.database
      .query(PackageRow)
      .select('id')
      .whereNotIn('type', this.keepingNames())
      .whereNotExists(
        this.database.query(VersionRow).alias('v').whereColumn('v.package_id', 'package.id').select('v.id'),
      );
    if (!(await empty.clone().first())) return 0;
    return this.database.write(async () => {
      const some = (await empty.clone().orderBy('id').limit(1000)).map((row) => row.id);
      await this.database.query(PackageRow).whereIn('id', some).orderBy('id').forUpdate().select('id');
      // without those that got a version until their rows were locked
      const ids = (await empty.clone().whereIn('id', some)).map((row) => row.id);
      await this.#properties.remove('package', ids);
      return this.database.query(PackageRow).delete().whereIn('id', ids);
    });
  }

  deleteFile(package_: Package, version: PackageVersion, file: PackageFile, actor: Actor): Promise<void> {
    return this.deleteFiles(package_, version, [file], actor);
  }

  async deleteFiles(
    package_: Package,
    version: PackageVersion,
    files: readonly PackageFile[],
    actor: Actor,
  ): Promise<void> {
    await this.database.write(async () => {
      await this.lock(package_);
      await this.removeFiles(files.map((file) => file.id));
      const left = await this.database.query(FileRow).where('version_id', version.id).resultSize();
      if (left === 0) await this.removeVersions(package_, [version], actor);
      await this.deps.indexes.markFiles(package_, files);
      await this.afterDelete(package_);
    });
  }

  private async removeVersions(
    package_: Package,
    versions: readonly PackageVersion[],
    actor: Actor | undefined,
  ): Promise<void> {
    const ids = versions.map((version) => version.id);
    const removed: PackageFile[] = [];
    for (let at = 0; at < ids.length; at += 500) {
      const files = [...(await this.files(ids.slice(at, at + 500))).values()].flat();
      await this.removeFiles(files.map((file) => file.id));
      removed.push(...files);
    }
    await this.#properties.remove('version', ids);
    for (let at = 0; at < ids.length; at += 500)
      await this.database
        .query(VersionRow)
        .delete()
        .whereIn('id', ids.slice(at, at + 500));
    await this.deps.indexes.markFiles(package_, removed);
    for (const version of versions)
      if (actor && !version.isInternal)
        await this.deps.events.emit(packageDeleted, eventOf(package_, version, actor.id));
  }

  /** The format moves what depends on what is left. */
  private async afterDelete(package_: Package): Promise<void> {
    const format = this.deps.formats.get(package_.type);
    if (format?.deleted) await format.deleted(package_, await this.bareVersions(package_.id));
    const owner = await this.deps.accounts.byId(package_.ownerId);
    if (owner) this.announceChange(owner, package_, package_.type);
  }

  private async removeFiles(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#properties.remove('file', ids);
    for (let at = 0; at < ids.length; at += 500)
      await this.database
        .query(FileRow)
        .delete()
        .whereIn('id', ids.slice(at, at + 500));
  }

  private announceChange(owner: Account, package_: Package, type: string): void {
    const format = this.deps.formats.get(type);
    if (format?.changed) this.database.afterCommit(() => format.changed!(owner, package_));
  }

  download(
    file: PackageFile,
    request: { method: string; headers: Readonly<Record<string, string | undefined>> },
    options?: DownloadOptions,
  ): Promise<Reply> {
    return this.deps.downloads.answer(file, request, options);
  }

  open(file: Pick<PackageFile, 'sha256'>, range?: { start: number; end?: number }): Promise<Readable> {
    return this.deps.blobs.open(file.sha256, range);
  }

  random({ sha256, size }: Pick<PackageFile, 'sha256' | 'size'>): RandomAccess {
    return {
      size,
      read: async (start, length) => {
        if (length <= 0 || start >= size) return Buffer.alloc(0);
        const end = Math.min(size, start + length) - 1;
        return Buffer.concat((await (await this.deps.blobs.open(sha256, { start, end })).toArray()) as Buffer[]);
      },
    };
  }

  async link(package_: Package, repositoryId: number): Promise<void> {
    await this.database.write(() =>
      this.database.query(PackageRow).patch({ repository_id: repositoryId }).where('id', package_.id),
    );
  }

  async unlink(package_: Package): Promise<void> {
    await this.link(package_, 0);
  }

  async unlinkRepository(repositoryId: number): Promise<void> {
    await this.database.write(() =>
      this.database.query(PackageRow).patch({ repository_id: 0 }).where('repository_id', repositoryId),
    );
  }

  /** An account with packages stays, unless everything of it is to go. */
  async leaveOwner(ownerId: number, purge: boolean, actor: Actor): Promise<void> {
    await this.database.write(async () => {
      const { total } = await this.search({ ownerId, limit: 1, offset: 0 });
      if (total && !purge) throw Invalid(t.later('error.ownsPackages'));
      const rows = await this.database.query(PackageRow).where('owner_id', ownerId);
      for (const row of rows) await this.deletePackage(toPackage(row), actor);
      // names that would stay go with their owner
      await this.database.query(PackageRow).delete().where('owner_id', ownerId);
    });
  }

  htmlUrl(owner: Account, package_: Package, version?: PackageVersion): string {
    const parts = [package_.type, package_.lowerName, ...(version ? [version.lowerVersion] : [])];
    return this.deps.site.url(`/${owner.name}/-/packages/${parts.map(pathSegment).join('/')}`);
  }
}

/** Like clients write it: `@` stays readable. */
export const pathSegment = (text: string) =>
  encodeURIComponent(text).replace(/%40/g, '@').replace(/%2B/g, '+').replace(/%3A/g, ':');
