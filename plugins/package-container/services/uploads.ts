import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  Problem,
  type Actor,
  type Database,
  type Knex,
  type Locks,
  type Storage,
  type StorageArea,
} from '@mortise/plugin-sdk';
import type { Account, OwnerQuota } from '@mortise/accounts/api';
import type { PackageStore, ReceivedBlob } from '@mortise/packages/api';
import { UploadRow } from '../models/upload.js';
import { hasDigest, isDigest, refuse, type } from './oci.js';

export interface Chunk {
  readonly content: Readable;
  readonly length: number | undefined;
  /** `Content-Range` of the client. */
  readonly range: string | undefined;
}

/** A client has a handful of them; those that it gave up without a word stay for a day. */
export const maxOpen = 1000;

/** Blobs that come in parts: each part is stored by itself, so that any process can take the next. */
export class Uploads {
  private readonly area: StorageArea;

  constructor(
    private readonly database: Database,
    private readonly locks: Locks,
    storage: Storage,
    private readonly store: PackageStore,
    private readonly ownerQuota: OwnerQuota,
  ) {
    this.area = storage.area('container-uploads');
  }

  begin(owner: Account, image: string, actor: Actor): Promise<UploadRow> {
    return this.database.write(async () => {
      // jobs of all owners share one account
      const whose = actor.kind === 'task' ? { user_id: actor.id, owner_id: owner.id } : { user_id: actor.id };
      if ((await this.database.query(UploadRow).where(whose).resultSize()) >= maxOpen)
        throw refuse('too_many', 'TOOMANYREQUESTS', 'too many uploads are open: finish or delete some');
      return this.database.query(UploadRow).insertAndFetch({
        id: randomBytes(18).toString('base64url'),
        owner_id: owner.id,
        image,
        user_id: actor.id,
        parts: 0,
        received: 0,
        updated_at: Date.now(),
      });
    });
  }

  /** Only who began it goes on with it, and only for its image. */
  async need(id: string, owner: Account, image: string, actor: Actor): Promise<UploadRow> {
    const row = await this.database.query(UploadRow).findOne({ id, owner_id: owner.id, image, user_id: actor.id });
    if (!row) throw refuse('not_found', 'BLOB_UPLOAD_UNKNOWN', 'the upload is not known');
    return row;
  }

  /** A further part; gives the state after it. */
  append(id: string, owner: Account, image: string, actor: Actor, chunk: Chunk): Promise<UploadRow> {
    return this.locks.hold(`container.upload.${id}`, async () => {
      const row = await this.need(id, owner, image, actor);
      this.checkRange(row, chunk);
      return this.add(row, actor, chunk);
    });
  }

  private checkRange({ received, parts }: UploadRow, { range, length }: Chunk): void {
    const invalid = (why: string) => refuse('bad_request', 'BLOB_UPLOAD_INVALID', why);
    if (range === undefined) {
      if (parts > 0) throw invalid('a further part needs a range');
      return;
    }
    const [, from, to] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/\S+)?$/.exec(range) ?? [];
    if (from === undefined || to === undefined || Number(to) < Number(from)) throw invalid('the range cannot be read');
    if (Number(from) !== Number(received))
      throw refuse('range_not_satisfiable', 'BLOB_UPLOAD_INVALID', `the next part begins at ${received}`);
    if (length !== undefined && length !== Number(to) - Number(from) + 1)
      throw invalid('the range is not that of the part');
  }

  private async add(row: UploadRow, actor: Actor, { content, length = 0 }: Chunk): Promise<UploadRow> {
    const received = Number(row.received);
    const limit = await this.limit(row, actor);
    if (limit && received + length > limit.bytes) throw await this.refused(row, limit.refusal);
    const key = keyOf(row.id, row.parts);
    const stored = await this.area
      .put(key, content, limit ? { maxBytes: Math.max(0, limit.bytes - received) } : {})
      .catch(async (error: unknown) => {
        throw limit && Problem.is(error) && error.code === 'too_large' ? await this.refused(row, limit.refusal) : error;
      });
    if (stored.size === 0) {
      await this.area.delete(key);
      return row;
    }
    const next = { parts: row.parts + 1, received: received + stored.size, updated_at: Date.now() };
    try {
      await this.database.write(async () => {
        await this.ownerQuota.checkAndLock(row.owner_id, 'size:assets:packages:all', stored.size);
        await this.database.query(UploadRow).patch(next).where('id', row.id);
      });
    } catch (error) {
      await this.area.delete(key);
      throw error;
    }
    return Object.assign(row, next);
  }

  /** How large the whole may become, and what is said beyond that; undefined: any size. */
  private async limit(row: UploadRow, actor: Actor): Promise<{ bytes: number; refusal: string } | undefined> {
    const limit = this.store.sizeLimit(type, actor);
    const room = await this.store.room(row.owner_id, actor);
    const bounds: { bytes: number; refusal: string }[] = [];
    if (limit >= 0) bounds.push({ bytes: limit, refusal: 'maximum allowed package type size exceeded' });
    if (room !== undefined) {
      const [others] = (await this.database
        .knex()('container_upload')
        .where('owner_id', row.owner_id)
        .whereNot('id', row.id)
        .sum({ size: 'received' })) as { size: number | null }[];
      const bytes = Math.max(0, room - Number(others?.size ?? 0));
      bounds.push({ bytes, refusal: 'maximum allowed package storage quota exceeded' });
    }
    return bounds.sort((a, b) => a.bytes - b.bytes)[0];
  }

  /** What cannot end well is given up at once: it would take room until it is swept. */
  private async refused(row: UploadRow, refusal: string): Promise<Problem> {
    await this.forget(row);
    return refuse('forbidden', 'DENIED', refusal);
  }

  /** The end, with the last part or without: the blob as a whole. */
  finish(
    id: string,
    owner: Account,
    image: string,
    actor: Actor,
    digest: string | undefined,
    chunk: Chunk,
  ): Promise<ReceivedBlob> {
    return this.locks.hold(`container.upload.${id}`, async () => {
      const row = await this.need(id, owner, image, actor);
      if (!isDigest(digest)) throw refuse('bad_request', 'DIGEST_INVALID', 'the digest is missing or invalid');
      if (chunk.range !== undefined) this.checkRange(row, chunk);
      const limit = await this.limit(row, actor);
      if (limit && Number(row.received) + (chunk.length ?? 0) > limit.bytes)
        throw await this.refused(row, limit.refusal);
      const blob = await this.store.receive(type, this.whole(row, chunk.content), actor);
      if (limit && blob.size > limit.bytes) throw await this.refused(row, limit.refusal);
      await this.forget(row);
      if (!hasDigest(digest, blob)) throw refuse('bad_request', 'DIGEST_INVALID', 'the content has another digest');
      return blob;
    });
  }

  private whole(row: UploadRow, last: Readable): Readable {
    if (row.parts === 0) return last;
    const { area } = this;
    async function* all(): AsyncGenerator<Buffer> {
      for (let at = 0; at < row.parts; at++) yield* (await area.get(keyOf(row.id, at))).stream as AsyncIterable<Buffer>;
      yield* last as AsyncIterable<Buffer>;
    }
    return Readable.from(all(), { objectMode: false });
  }

  async forget(...rows: readonly UploadRow[]): Promise<void> {
    const ids = rows.map(({ id }) => id);
    await this.database.write(() => this.database.query(UploadRow).delete().whereIn('id', ids));
    // one more than is known: a part may have been on its way
    for (const { id, parts } of rows) for (let at = 0; at <= parts; at++) await this.area.delete(keyOf(id, at));
  }

  /** Removes abandoned uploads. */
  async sweep(before: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const rows = await this.database.query(UploadRow).where('updated_at', '<', before).limit(100);
      if (rows.length === 0) break;
      await this.forget(...rows);
    }
    for await (const { key, modifiedAt } of this.area.list()) {
      if (signal.aborted) return;
      if (modifiedAt < before && !(await this.database.query(UploadRow).findOne({ id: key.split('/')[0] })))
        await this.area.delete(key);
    }
  }
}

const keyOf = (id: string, part: number) => `${id}/${part}`;

/** Bytes of parts that wait for the end of their upload. */
export const uploadBytes = (knex: Knex, ownerId: number): Knex.QueryBuilder =>
  knex('container_upload')
    .where('owner_id', ownerId)
    .select(knex.raw("'size:assets:packages:all' as subject"), knex.raw('sum(received) as bytes'));
