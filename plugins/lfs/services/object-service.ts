import type { Readable } from 'node:stream';
import {
  pageOf,
  Invalid,
  NotFound,
  type Database,
  type Knex,
  type Locks,
  type Storage,
  type StorageArea,
} from '@mortise/plugin-sdk';
import type { Repositories, RepositoryQuota } from '@mortise/repositories/api';
import { isLfsOid, isLfsSize, type CommitRange, type LfsObjects, type LfsPointer } from '../contract/lfs.js';
import { ObjectRow } from '../models/object.js';
import { UploadRow } from '../models/upload.js';
import { verifiedStream, verifyContent } from './content-check.js';
import type { PointerScan } from './pointer-scan.js';
import { t } from '../texts/index.js';

/** Where content lies in the storage. */
export const objectKey = (oid: string) => `${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`;
/** Held while an upload is announced and while content is removed, so that neither happens during the other. */
export const contentLock = (oid: string) => `lfs.content.${oid}`;

const day = 86_400_000;
const batch = 500;
/** Somebody waits for it: the pointers of commits that come from another repository are listed for so long at most. */
const maxScanMs = 5 * 60_000;

/** Cuts a list into parts that one query takes. */
export function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += batch) yield items.slice(at, at + batch);
}

interface ObjectDeps {
  readonly enabled: boolean;
  readonly maxSize: number;
  readonly database: Database;
  readonly locks: Locks;
  readonly storage: Storage;
  readonly repositories: Repositories;
  readonly repositoryQuota: RepositoryQuota;
  readonly scan: PointerScan;
}

/**
 * Objects of repositories. Content is stored once under its hash, but a repository gets an object only
 * from a client that has sent the whole content: an id alone proves nothing.
 */
export class ObjectService implements LfsObjects {
  readonly enabled: boolean;
  readonly area: StorageArea;

  constructor(private readonly services: ObjectDeps) {
    this.enabled = services.enabled;
    this.area = services.storage.area('lfs');
  }

  async find(repositoryId: number, oids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    for (const some of batches([...new Set(oids)])) {
      const rows = await this.services.database
        .query(ObjectRow)
        .select('oid', 'size')
        .where('repository_id', repositoryId)
        .whereIn('oid', some);
      for (const row of rows) sizes.set(row.oid, Number(row.size));
    }
    return sizes;
  }

  async open(repositoryId: number, oid: string, range?: { readonly start: number; readonly end?: number }) {
    const size = isLfsOid(oid) ? (await this.find(repositoryId, [oid])).get(oid) : undefined;
    if (size === undefined || !(await this.area.stat(objectKey(oid)))) return undefined;
    return { size, stream: (await this.area.get(objectKey(oid), range)).stream };
  }

  async directUrl(repositoryId: number, oid: string, options: { fileName?: string } = {}) {
    if (!isLfsOid(oid) || !(await this.find(repositoryId, [oid])).has(oid)) return undefined;
    return this.area.signedUrl(objectKey(oid), options);
  }

  /** The same for an object that was found before. */
  signedUrl(oid: string, seconds: number): Promise<string | undefined> {
    return this.area.signedUrl(objectKey(oid), { seconds });
  }

  /** Refuses what may not be taken in; before anything is read. */
  check({ oid, size }: LfsPointer): void {
    if (!isLfsOid(oid)) throw Invalid('The object ID must be a SHA-256 in lowercase hexadecimal digits.');
    if (!isLfsSize(size)) throw Invalid('The size must be a number of bytes.');
    const { maxSize } = this.services;
    if (maxSize > 0 && size > maxSize) throw Invalid(`The object is larger than ${maxSize} bytes.`);
  }

  /** @throws TooLarge: so many bytes do not fit into what the owner may store */
  checkRoom(repositoryId: number, bytes: number): Promise<void> {
    return this.services.repositoryQuota.check(repositoryId, 'size:git:lfs', bytes);
  }

  async receive(repositoryId: number, pointer: LfsPointer, content: Readable): Promise<void> {
    this.check(pointer);
    const { oid, size } = pointer;
    const { database } = this.services;
    const known = (await this.find(repositoryId, [oid])).get(oid);
    if (known !== undefined && known !== size) throw Invalid(`The object has ${known} bytes.`);
    if (known === undefined) await this.checkRoom(repositoryId, size);
    // From here on the collector leaves the content alone, whether it is there already or is on its way.
    const upload = await this.services.locks.hold(contentLock(oid), () =>
      database.write(() => database.query(UploadRow).insert({ oid, started_at: Date.now() })),
    );
    try {
      const there = await this.area.stat(objectKey(oid));
      if (there?.size === size) await verifyContent(content, pointer);
      else await this.area.put(objectKey(oid), verifiedStream(content, pointer), { maxBytes: size });
      await this.#link(repositoryId, [pointer], upload.id);
    } catch (error) {
      await database.write(() => database.query(UploadRow).deleteById(upload.id)).catch(() => undefined);
      if (!(await this.services.repositories.byId(repositoryId))) throw NotFound('repository');
      throw error;
    }
  }

  /** What the repository has already takes no more room. */
  async #holdRoom(repositoryId: number, pointers: readonly LfsPointer[]): Promise<void> {
    const known = await this.find(
      repositoryId,
      pointers.map(({ oid }) => oid),
    );
    const bytes = pointers.reduce((sum, { oid, size }) => sum + (known.has(oid) ? 0 : size), 0);
    if (bytes > 0) await this.services.repositoryQuota.checkAndLock(repositoryId, 'size:git:lfs', bytes);
  }

  /** Writes the rows, and with them the end of an upload. */
  async #link(repositoryId: number, pointers: readonly LfsPointer[], uploadId?: number): Promise<void> {
    const { database, repositoryQuota } = this.services;
    const now = Date.now();
    await database.write(async () => {
      for (const some of batches(pointers)) {
        if (repositoryQuota.isLimited) await this.#holdRoom(repositoryId, some);
        const rows = some.map(({ oid, size }) => ({
          repository_id: repositoryId,
          oid,
          size,
          created_at: now,
          seen_at: now,
        }));
        await database.knex()('lfs_object').insert(rows).onConflict(['repository_id', 'oid']).merge(['seen_at']);
      }
      if (uploadId !== undefined) await database.query(UploadRow).deleteById(uploadId);
    });
  }

  /** A client was told that it need not send these: they stay for as long as if it had. */
  async touch(repositoryId: number, oids: readonly string[]): Promise<void> {
    const { database } = this.services;
    const now = Date.now();
    const old = (some: readonly string[]) =>
      database
        .query(ObjectRow)
        .where('repository_id', repositoryId)
        .whereIn('oid', some)
        .where('seen_at', '<', now - day / 2);
    for (const some of batches(oids)) {
      if ((await old(some).resultSize()) > 0) await database.write(() => old(some).patch({ seen_at: now }));
    }
  }

  async sizes(repositoryIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const sizes = new Map<number, number>();
    for (const some of batches(repositoryIds)) {
      const rows = (await this.services.database
        .knex()('lfs_object')
        .whereIn('repository_id', some)
        .groupBy('repository_id')
        .select('repository_id')
        .sum({ size: 'size' })) as { repository_id: number; size: number | string }[];
      for (const row of rows) sizes.set(row.repository_id, Number(row.size));
    }
    return sizes;
  }

  async list(
    repositoryId: number,
    { text = '', limit, offset }: { text?: string; limit: number; offset: number },
  ): Promise<{ items: ObjectRow[]; total: number }> {
    const query = this.services.database.query(ObjectRow).where('repository_id', repositoryId);
    if (text) void query.where('oid', 'like', `${text.toLowerCase().replace(/[^0-9a-f]/g, '')}%`);
    const { rows: items, total } = await pageOf(query.orderBy('id', 'desc'), { limit, offset });
    return { items, total };
  }

  /** Removes an object from a repository; its content is deleted when no other repository has it. */
  async remove(repositoryId: number, oid: string): Promise<void> {
    const { database } = this.services;
    const gone = await database.write(() =>
      database.query(ObjectRow).delete().where({ repository_id: repositoryId, oid }),
    );
    if (!gone) throw NotFound('LFS object', { text: t.later('error.noObject') });
  }

  /** All objects of one repository also belong to another: forks and copies. Inside the caller's transaction. */
  async copyAll(from: number, to: number): Promise<void> {
    const { database, repositoryQuota } = this.services;
    const now = Date.now();
    if (repositoryQuota.isLimited) {
      const bytes = (await this.sizes([from])).get(from) ?? 0;
      if (bytes > 0) await repositoryQuota.checkAndLock(to, 'size:git:lfs', bytes);
    }
    for (let after = 0; ;) {
      const rows = await database
        .query(ObjectRow)
        .where('repository_id', from)
        .where('id', '>', after)
        .orderBy('id')
        .limit(batch);
      if (rows.length > 0)
        await database
          .knex()('lfs_object')
          .insert(rows.map(({ oid, size }) => ({ repository_id: to, oid, size, created_at: now, seen_at: now })))
          .onConflict(['repository_id', 'oid'])
          .ignore();
      if (rows.length < batch) return;
      after = rows.at(-1)!.id;
    }
  }

  async share(from: number, to: number, commits: CommitRange): Promise<number> {
    if (!(await this.services.database.query(ObjectRow).where('repository_id', from).first().select('id'))) return 0;
    let shared = 0;
    for await (const { present, missing } of this.#named(to, commits)) {
      // their commits may be reachable only from now on
      await this.touch(
        to,
        present.map(({ oid }) => oid),
      );
      if (missing.length > 0) shared += await this.#linkFrom(from, to, missing);
    }
    return shared;
  }

  async *missing(repositoryId: number, commits: CommitRange): AsyncGenerator<LfsPointer> {
    for await (const { missing } of this.#named(repositoryId, commits)) yield* missing;
  }

  async *present(repositoryId: number, commits: CommitRange): AsyncGenerator<LfsPointer> {
    for await (const { present } of this.#named(repositoryId, commits)) yield* present;
  }

  /** What pointers of commits name, part by part: those that the repository has, and those whose content it lacks. */
  async *#named(repositoryId: number, { tips, not, withoutHistory }: CommitRange) {
    const range = withoutHistory ? { noWalk: true } : not ? { not } : { onlyUnreferenced: true };
    const signal = AbortSignal.timeout(maxScanMs);
    const waiting = new Map<string, LfsPointer>();
    const sorted = async () => {
      const pointers = [...waiting.values()];
      waiting.clear();
      const known = await this.find(
        repositoryId,
        pointers.map(({ oid }) => oid),
      );
      return {
        present: [...known].map(([oid, size]) => ({ oid, size })),
        missing: pointers.filter(({ oid }) => !known.has(oid)),
      };
    };
    for await (const { pointer } of this.services.scan.pointers(repositoryId, { tips, signal, ...range })) {
      waiting.set(pointer.oid, pointer);
      if (waiting.size >= batch) yield await sorted();
    }
    if (waiting.size > 0) yield await sorted();
  }

  /** Links those objects that the other repository has in that size. */
  async #linkFrom(from: number, to: number, pointers: readonly LfsPointer[]): Promise<number> {
    const { database } = this.services;
    const oids = pointers.map(({ oid }) => oid);
    return database.write(async () => {
      // Shared locks: no content loses its last repository before it has this one.
      const rows = await database.query(ObjectRow).where('repository_id', from).whereIn('oid', oids).forShare();
      const sizes = new Map(rows.map(({ oid, size }) => [oid, Number(size)]));
      const there = pointers.filter(({ oid, size }) => sizes.get(oid) === size);
      if (there.length > 0) await this.#link(to, there);
      return there.length;
    });
  }
}

/** Bytes of the objects that the repositories of an owner have. */
export const objectBytes = (knex: Knex, ownerId: number): Knex.QueryBuilder =>
  knex('lfs_object')
    .whereIn('repository_id', knex('repository').where('owner_id', ownerId).select('id'))
    .select(knex.raw("'size:git:lfs' as subject"), knex.raw('sum(size) as bytes'));
