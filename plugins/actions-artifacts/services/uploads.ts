import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  BadRequest,
  Conflict,
  isUniqueViolation,
  NotFound,
  TooLarge,
  type Database,
  type Knex,
  type Locks,
  type Storage,
  type StorageArea,
  type StoredBlob,
} from '@mortise/plugin-sdk';
import type { RepositoryQuota } from '@mortise/repositories/api';
import { artifactStatus } from '../models/artifact.js';
import { PartRow } from '../models/part.js';
import { UploadRow } from '../models/upload.js';
import type { OrphanBlobs } from './orphan-blobs.js';

/** Pieces of one upload; with the largest of the usual clients that is more than a terabyte. */
const maxParts = 50_000;
/** Bytes of the name of a block. */
const maxBlockId = 256;

interface UploadDeps {
  readonly database: Database;
  readonly locks: Locks;
  readonly storage: Storage;
  readonly repositoryQuota: RepositoryQuota;
  readonly orphanBlobs: OrphanBlobs;
}

/** A whole, of its pieces. */
export interface CompletedUpload {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/** What an upload may become. */
export interface UploadLimits {
  /** Whose owner must have room for it. */
  readonly repositoryId: number;
  /** Of the upload as a whole. */
  readonly maxBytes: number;
  /** In the transaction that takes a piece in, with the bytes that the upload has then: throws where they are too many. */
  checkReceived?(received: number): Promise<void>;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Content in pieces, which come in any order, again, or never. Each piece is stored by itself before its row is written;
 * they are joined once the client says that all of them are there.
 */
export class Uploads {
  constructor(private readonly services: UploadDeps) {}

  /** Inside a transaction. */
  async begin(area: string): Promise<number> {
    const { database } = this.services;
    const row = await database.query(UploadRow).insertAndFetch({ area, updated_at: Date.now() });
    return row.id;
  }

  /** Stores a named block; the block list gives its position later. A block of the same name is replaced. */
  async putBlock(id: number, blockId: string, content: Readable, limits: UploadLimits): Promise<StoredBlob> {
    if (blockId.length === 0 || blockId.length > maxBlockId) throw BadRequest('The block ID is missing or too long.');
    return this.#put(id, { block_hash: hashOf(`block ${blockId}`), start: null }, content, limits);
  }

  /** Appends a part to the parts that are stored. */
  async append(id: number, content: Readable, limits: UploadLimits): Promise<StoredBlob> {
    const row = await this.#need(id);
    return this.putAt(id, Number(row.received), content, limits);
  }

  /** Stores a part at a known position. */
  async putAt(id: number, start: number, content: Readable, limits: UploadLimits): Promise<StoredBlob> {
    return this.#put(id, { block_hash: hashOf(`start ${start}`), start }, content, limits);
  }

  async #need(id: number): Promise<UploadRow> {
    const row = await this.services.database.query(UploadRow).findById(id);
    if (!row) throw NotFound('upload');
    return row;
  }

  async #put(
    id: number,
    position: { readonly block_hash: string; readonly start: number | null },
    content: Readable,
    { repositoryId, maxBytes, checkReceived: within }: UploadLimits,
  ): Promise<StoredBlob> {
    const row = await this.#need(id);
    if (row.parts >= maxParts) throw BadRequest(`An upload has at most ${maxParts} parts.`);
    const { database, storage, orphanBlobs, repositoryQuota } = this.services;
    await repositoryQuota.check(repositoryId, 'size:assets:artifacts', 0);
    const area = storage.area(row.area);
    const key = `${folderOf(id)}${randomBytes(9).toString('hex')}`;
    const left = Math.max(0, maxBytes - Number(row.received));
    const blob = await area.put(key, content, { maxBytes: left });
    try {
      await database.write(async () => {
        const now = await this.#lockUpload(id);
        const before = await database.query(PartRow).findOne({ upload_id: id, block_hash: position.block_hash });
        const received = Number(now.received) + blob.size - Number(before?.size ?? 0);
        if (received > maxBytes) throw TooLarge(`The content is larger than ${maxBytes} bytes.`);
        const more = blob.size - Number(before?.size ?? 0);
        if (more > 0) await repositoryQuota.checkAndLock(repositoryId, 'size:assets:artifacts', more);
        if (before) {
          await database.query(PartRow).deleteById(before.id);
          await orphanBlobs.add(row.area, [before.key]);
        }
        await database.query(PartRow).insert({ ...position, upload_id: id, size: blob.size, sha256: blob.sha256, key });
        const parts = now.parts + (before ? 0 : 1);
        await database.query(UploadRow).patch({ received, parts, updated_at: Date.now() }).where('id', id);
        await within?.(received);
      });
    } catch (error) {
      await area.delete(key);
      if (isUniqueViolation(error)) throw Conflict('This part is being uploaded already.');
      throw error;
    }
    return blob;
  }

  /** Inside a transaction: locks the upload until its end. */
  async #lockUpload(id: number): Promise<UploadRow> {
    const { database } = this.services;
    const query = database.query(UploadRow).findById(id);
    const row = await (database.engine === 'mysql' ? query.forUpdate() : query);
    if (!row) throw NotFound('upload');
    return row;
  }

  /** The blocks that make up the whole, in their order; all of them have to be there. */
  async setList(id: number, blockIds: readonly string[]): Promise<void> {
    if (blockIds.length > maxParts) throw BadRequest(`An upload has at most ${maxParts} parts.`);
    const { database } = this.services;
    const hashes = blockIds.map((blockId) => hashOf(`block ${blockId}`));
    if (new Set(hashes).size !== hashes.length) throw BadRequest('The list names a block twice.');
    const there = new Set((await this.#parts(id)).map(({ block_hash }) => block_hash));
    if (!hashes.every((hash) => there.has(hash))) throw BadRequest('The list names a block that was not uploaded.');
    const changed = await database.write(() =>
      database.query(UploadRow).patch({ block_list: hashes, updated_at: Date.now() }).where('id', id),
    );
    if (changed === 0) throw NotFound('upload');
  }

  /** Forgets all pieces: what follows is the whole. */
  async restart(id: number): Promise<void> {
    const { database, orphanBlobs } = this.services;
    await database.write(async () => {
      const row = await this.#lockUpload(id);
      await orphanBlobs.add(
        row.area,
        (await this.#parts(id)).map(({ key }) => key),
      );
      await database.query(PartRow).delete().where('upload_id', id);
      await database.query(UploadRow).patch({ received: 0, parts: 0, block_list: null }).where('id', id);
    });
  }

  #parts(id: number): Promise<PartRow[]> {
    return this.services.database.query(PartRow).where('upload_id', id).orderBy('id').execute();
  }

  /**
   * Puts the pieces together and hands the whole to `take`, in whose transaction the upload ends; only one at a time does
   * so for an upload. When `take` throws, the upload is as it was.
   */
  finish<T>(id: number, complete: (completed: CompletedUpload) => Promise<T>): Promise<T> {
    const { database, locks, orphanBlobs, storage } = this.services;
    return locks.hold(`actions.upload.${id}`, async (lock) => {
      const row = await this.#need(id);
      const area = storage.area(row.area);
      const parts = partsInOrder(row, await this.#parts(id));
      const completed = await this.#join(id, area, parts);
      const isOwn = parts.length === 1;
      try {
        return await database.write(async () => {
          await lock.check();
          const now = await this.#lockUpload(id);
          const keys = new Set((await this.#parts(id)).map(({ key }) => key));
          if (!isSame(now, row) || parts.some(({ key }) => !keys.has(key)))
            throw Conflict('The upload was changed while it was completed.');
          const result = await complete(completed);
          await orphanBlobs.add(
            row.area,
            [...keys].filter((key) => key !== completed.key),
          );
          await database.query(PartRow).delete().where('upload_id', id);
          await database.query(UploadRow).deleteById(id);
          return result;
        });
      } catch (error) {
        if (!isOwn) await area.delete(completed.key);
        throw error;
      }
    });
  }

  async #join(id: number, area: StorageArea, parts: readonly PartRow[]): Promise<CompletedUpload> {
    const [first] = parts;
    if (first && parts.length === 1) return { key: first.key, size: Number(first.size), sha256: first.sha256 };
    async function* all(): AsyncGenerator<Buffer> {
      for (const { key } of parts) yield* (await area.get(key)).stream as AsyncIterable<Buffer>;
    }
    const key = `${folderOf(id)}${randomBytes(9).toString('hex')}`;
    const { size, sha256 } = await area.put(key, Readable.from(all(), { objectMode: false }));
    return { key, size, sha256 };
  }

  /** Inside a transaction: the upload and all of its pieces go. */
  async discard(ids: readonly number[]): Promise<void> {
    const { database, orphanBlobs } = this.services;
    for (const id of ids.filter(Boolean)) {
      const row = await database.query(UploadRow).findById(id);
      if (!row) continue;
      await orphanBlobs.add(
        row.area,
        (await this.#parts(id)).map(({ key }) => key),
      );
      await database.query(PartRow).delete().where('upload_id', id);
      await database.query(UploadRow).deleteById(id);
    }
  }
}

const isSame = (now: UploadRow, before: UploadRow) =>
  now.parts === before.parts && JSON.stringify(now.block_list) === JSON.stringify(before.block_list);

const folderOf = (id: number) => `${(id % 256).toString(16).padStart(2, '0')}/${id}/`;

/** Pieces as the list has them; without a list those with a place, which have to follow one another. */
function partsInOrder({ block_list }: UploadRow, parts: readonly PartRow[]): readonly PartRow[] {
  if (block_list) {
    const byHash = new Map(parts.map((part) => [part.block_hash, part]));
    const listed = block_list.map((hash) => byHash.get(hash));
    if (listed.some((part) => !part)) throw BadRequest('The list names a block that was not uploaded.');
    return listed as PartRow[];
  }
  const placed = parts.filter(({ start }) => start !== null).sort((a, b) => Number(a.start) - Number(b.start));
  if (placed.length === 0 && parts.length > 0) throw BadRequest('The order of the blocks was not told.');
  let next = 0;
  for (const { start, size } of placed) {
    if (Number(start) !== next) throw BadRequest(`The part that begins at ${next} was not uploaded.`);
    next += Number(size);
  }
  return placed;
}

/** Bytes of artifacts and caches in the repositories of an owner, also of those that are being sent. */
export function uploadBytes(knex: Knex, ownerId: number): Knex.QueryBuilder {
  const owned = () => knex('repository').where('owner_id', ownerId).select('id');
  const sum = (from: Knex.QueryBuilder, column: string) =>
    from.select(knex.raw("'size:assets:artifacts' as subject"), knex.raw('sum(??) as bytes', [column]));
  const sent = (table: string) =>
    knex('action_upload').whereIn(
      'id',
      knex(table).whereIn('repository_id', owned()).where('upload_id', '>', 0).select('upload_id'),
    );
  const confirmed = knex('action_artifact').whereIn('repository_id', owned()).where('status', artifactStatus.confirmed);
  return sum(confirmed, 'stored_size').unionAll([
    sum(knex('action_cache').whereIn('repository_id', owned()), 'size'),
    sum(sent('action_artifact'), 'received'),
    sum(sent('action_cache'), 'received'),
  ]);
}
