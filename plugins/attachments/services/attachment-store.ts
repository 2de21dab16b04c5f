import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  BadRequest,
  Invalid,
  NotFound,
  apiTime,
  reply,
  serveDownload,
  requestedRange,
  withFallback,
  type Database,
  type DownloadRequest,
  type Jobs,
  type Knex,
  type PointReader,
  type Problem,
  type Reply,
  type Site,
  type StorageArea,
  type Text,
  type WriteBehind,
} from '@mortise/plugin-sdk';
import type { RepositoryQuota } from '@mortise/repositories/api';
import type { QueryBuilder } from 'objection';
import type {
  ApiAttachment,
  Attachment,
  AttachmentKind,
  AttachmentLimits,
  AttachmentOwner,
  Attachments,
  UploadOptions,
} from '../contract/attachments.js';
import { removeContents } from '../jobs/content-jobs.js';
import { AttachmentRow, toAttachment } from '../models/attachment.js';
import { t } from '../texts/index.js';
import { headBytes, servedType } from './served-type.js';
import { isAllowed } from './allowed-types.js';

type Owner = Pick<AttachmentOwner, 'kind' | 'ownerId'>;
type Rows = QueryBuilder<AttachmentRow, AttachmentRow[]>;
/** A download waits for its count to be written, but no longer than this when the database is busy. */
const maxCountMs = 500;

type Condition = (query: Rows) => Rows;

export const storageKey = ({ kind, uuid }: Pick<Attachment, 'kind' | 'uuid'>): string =>
  `${kind}/${uuid.slice(0, 2)}/${uuid}`;

const subjectOf = ({ kind }: Owner) =>
  kind === 'releases' ? 'size:assets:attachments:releases' : 'size:assets:attachments:issues';

/** Bytes of the files in the repositories of an owner. */
export const attachmentBytes = (knex: Knex, ownerId: number): Knex.QueryBuilder =>
  knex('attachment')
    .whereIn('repository_id', knex('repository').where('owner_id', ownerId).select('id'))
    .groupBy('kind')
    .select(
      knex.raw(
        "case when kind = 'releases' then 'size:assets:attachments:releases' else 'size:assets:attachments:issues' end as subject",
      ),
      knex.raw('sum(size) as bytes'),
    );

/** Contents in the store, rows in the database; a kill between the two leaves what the sweep takes. */
export class AttachmentStore implements Attachments {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly jobs: Jobs;
      readonly site: Site;
      readonly area: StorageArea;
      readonly counter: WriteBehind;
      readonly kinds: PointReader<AttachmentKind>;
      readonly limits: AttachmentLimits;
      readonly repositoryQuota: RepositoryQuota;
    },
  ) {}

  limits(kind: string): AttachmentLimits {
    return this.deps.kinds.get(kind)?.limits ?? this.deps.limits;
  }

  checkType(
    kind: string,
    name: string,
    refuse: (message: Text) => Problem = this.deps.kinds.get(kind)?.refusal === 'invalid' ? Invalid : BadRequest,
  ): void {
    if (!isAllowed(name, this.limits(kind).allowedTypes)) throw refuse(t.later('error.type', { name }));
  }

  async byId({ kind, ownerId }: Owner, id: number): Promise<Attachment | undefined> {
    if (!Number.isSafeInteger(id) || id > 2 ** 31) return undefined;
    const row = await this.deps.database.query(AttachmentRow).findOne({ id, kind, owner_id: ownerId });
    return row && toAttachment(row);
  }

  async byUuid(uuid: string): Promise<Attachment | undefined> {
    const row = await this.deps.database.query(AttachmentRow).findOne({ uuid });
    return row && toAttachment(row);
  }

  async byName({ kind, ownerId }: Owner, name: string): Promise<Attachment | undefined> {
    const row = await this.deps.database
      .query(AttachmentRow)
      .where({ kind, owner_id: ownerId, name })
      .orderBy('id', 'desc')
      .first();
    return row && toAttachment(row);
  }

  async list(kind: string, ownerIds: readonly number[]): Promise<Map<number, Attachment[]>> {
    const bySubject = new Map<number, Attachment[]>();
    if (ownerIds.length === 0) return bySubject;
    const { database } = this.deps;
    const rows =
      ownerIds.length === 1
        ? await database.rows.find(AttachmentRow, { kind, owner_id: ownerIds[0] })
        : await database
            .query(AttachmentRow)
            .where({ kind })
            .whereIn('owner_id', [...ownerIds]);
    rows.sort((one, other) => one.id - other.id);
    for (const row of rows) bySubject.set(row.owner_id, [...(bySubject.get(row.owner_id) ?? []), toAttachment(row)]);
    return bySubject;
  }

  async upload(
    owner: AttachmentOwner,
    name: string,
    content: Readable,
    uploaderId: number,
    more: UploadOptions = {},
  ): Promise<Attachment> {
    this.checkType(owner.kind, name);
    const { area, repositoryQuota } = this.deps;
    await repositoryQuota.check(owner.repositoryId, subjectOf(owner), 0);
    const { maxBytes } = this.limits(owner.kind);
    const uuid = randomUUID();
    const key = storageKey({ kind: owner.kind, uuid });
    const stored = await area.put(key, content, maxBytes === undefined ? {} : { maxBytes });
    try {
      const file = { uuid, name, size: stored.size, sha256: stored.sha256, url: '' };
      return await this.#insert(owner, uploaderId, file, more);
    } catch (error) {
      await area.delete(key).catch(() => undefined);
      throw error;
    }
  }

  async addExternal(owner: AttachmentOwner, name: string, url: string, uploaderId: number): Promise<Attachment> {
    this.checkType(owner.kind, name);
    return this.#insert(owner, uploaderId, { uuid: randomUUID(), name, size: 0, sha256: '', url });
  }

  #insert(
    owner: AttachmentOwner,
    uploaderId: number,
    file: { uuid: string; name: string; size: number; sha256: string; url: string },
    more: UploadOptions = {},
  ): Promise<Attachment> {
    const { database, kinds, repositoryQuota } = this.deps;
    return database.write(async () => {
      await kinds.get(owner.kind)?.hold(owner);
      if (file.size > 0) await repositoryQuota.checkAndLock(owner.repositoryId, subjectOf(owner), file.size);
      const row = await database.query(AttachmentRow).insertAndFetch({
        kind: owner.kind,
        owner_id: owner.ownerId,
        repository_id: owner.repositoryId,
        uploader_id: uploaderId,
        uuid: file.uuid,
        name: file.name,
        size: file.size,
        sha256: file.sha256,
        external_url: file.url,
        download_count: 0,
        created_at: more.createdAt ?? Date.now(),
      });
      const attachment = toAttachment(row);
      await more.within?.(attachment);
      return attachment;
    });
  }

  async rename({ id, kind }: Attachment, name: string): Promise<Attachment> {
    const { database } = this.deps;
    this.checkType(kind, name, Invalid);
    return database.write(async () => {
      await database.query(AttachmentRow).findById(id).patch({ name });
      const row = await database.query(AttachmentRow).findById(id);
      if (!row) throw NotFound('file');
      return toAttachment(row);
    });
  }

  remove(ids: readonly number[]): Promise<void> {
    return this.#remove((query) => query.whereIn('id', [...ids]));
  }

  removeOf(kind: string, ownerIds: readonly number[]): Promise<void> {
    return this.#remove((query) => query.where({ kind }).whereIn('owner_id', [...ownerIds]));
  }

  removeOfRepository(repositoryId: number): Promise<void> {
    return this.#remove((query) => query.where('repository_id', repositoryId));
  }

  /** Rows now, contents after the commit; a job that is lost with the process is run again. */
  #remove(which: Condition): Promise<void> {
    const { database, jobs } = this.deps;
    return database.write(async () => {
      const rows = await which(database.query(AttachmentRow));
      const keys = rows.filter((row) => !row.external_url).map(storageKey);
      for (let from = 0; from < keys.length; from += 500)
        await jobs.enqueue(removeContents, { keys: keys.slice(from, from + 500) });
      const ids = rows.map((row) => row.id);
      for (let from = 0; from < ids.length; from += 500)
        await database
          .query(AttachmentRow)
          .delete()
          .whereIn('id', ids.slice(from, from + 500));
    });
  }

  async view(attachment: Attachment, actor: Parameters<AttachmentKind['view']>[1]) {
    const kind = this.deps.kinds.get(attachment.kind);
    if (!kind) throw NotFound('file');
    return kind.view(attachment, actor);
  }

  async content(file: Attachment): Promise<Readable> {
    if (file.externalUrl) throw NotFound('file');
    return (await this.deps.area.get(storageKey(file))).stream;
  }

  async serve(
    file: Attachment,
    { isPrivate }: { readonly isPrivate: boolean },
    request: DownloadRequest,
  ): Promise<Reply> {
    const { area, counter } = this.deps;
    const key = storageKey(file);
    const isHead = request.method?.toUpperCase() === 'HEAD';
    const hasIt = file.sha256 !== '' && String(request.headers['if-none-match'] ?? '').includes(file.sha256);
    const part =
      isHead || hasIt
        ? undefined
        : requestedRange(request.headers, { ...file, tag: file.sha256, modifiedAt: file.createdAt });
    // A download is counted once, by its first part, before it begins, so that the next reader sees it in any process.
    if (!isHead && !hasIt && (part?.start ?? 0) === 0) {
      counter.add(file.id, 1);
      await withFallback(counter.flush(), undefined, maxCountMs);
    }
    const elsewhere = file.externalUrl || (await area.signedUrl(key, { fileName: file.name }));
    if (elsewhere) return reply.redirect(elsewhere, 302).header('cache-control', 'no-store');
    return serveDownload(
      {
        size: file.size,
        ...servedType(file.name, hasIt ? Buffer.alloc(0) : await this.#head(file)),
        tag: file.sha256,
        modifiedAt: file.createdAt,
        name: file.name,
        cacheControl: `${isPrivate ? 'private' : 'public'}, max-age=0, must-revalidate`,
        open: async (range) => (await area.get(key, range)).stream,
      },
      request,
    );
  }

  async #head(file: Attachment): Promise<Buffer> {
    if (file.size === 0) return Buffer.alloc(0);
    const end = Math.min(file.size, headBytes) - 1;
    return buffer((await this.deps.area.get(storageKey(file), { start: 0, end })).stream);
  }

  toApi(file: Attachment, downloadUrl?: string): ApiAttachment {
    return {
      id: file.id,
      name: file.name,
      size: file.size,
      download_count: file.downloadCount + (this.deps.counter.get(file.id) ?? 0),
      created_at: apiTime(file.createdAt),
      uuid: file.uuid,
      browser_download_url: file.externalUrl || (downloadUrl ?? this.deps.site.url(`/attachments/${file.uuid}`)),
    };
  }
}
