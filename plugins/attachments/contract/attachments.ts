import type { Readable } from 'node:stream';
import {
  Joi,
  definePoint,
  defineService,
  type Actor,
  type DownloadRequest,
  type Keyed,
  type Reply,
} from '@mortise/plugin-sdk';

/** A file that belongs to something of a repository. Times are milliseconds since 1970 UTC. */
export interface Attachment {
  readonly id: number;
  /** Key of the {@link AttachmentKind}. */
  readonly kind: string;
  /** Number of what it belongs to, among those of its kind. */
  readonly ownerId: number;
  readonly repositoryId: number;
  readonly uploaderId: number;
  readonly uuid: string;
  readonly name: string;
  /** Bytes; 0 for a file elsewhere. */
  readonly size: number;
  /** Of the content, hexadecimal; empty for a file elsewhere. */
  readonly sha256: string;
  /** Where a file elsewhere lies; empty: it is stored here. */
  readonly externalUrl: string;
  readonly downloadCount: number;
  readonly createdAt: number;
}

export type AttachmentOwner = Pick<Attachment, 'kind' | 'ownerId' | 'repositoryId'>;

export interface AttachmentLimits {
  /** Endings (`.zip`) or media types (`text/*`), separated by commas; empty: all. */
  readonly allowedTypes: string;
  /** Bytes; undefined: no limit. */
  readonly maxBytes: number | undefined;
}

/** Extension point: what files can belong to, for instance `releases`. Contents lie in the store under the key. */
export interface AttachmentKind extends Keyed {
  /** Default: those of `[attachment]`. */
  readonly limits?: AttachmentLimits;
  /** How a file whose type is not allowed is refused; default: 400. */
  readonly refusal?: 'bad_request' | 'invalid';
  /** In the transaction that stores a file: throws NotFound when what it belongs to is gone. */
  hold(owner: AttachmentOwner): Promise<void>;
  /** Throws NotFound for what the actor may not see; `isPrivate`: no cache between may keep it. */
  view(attachment: Attachment, actor: Actor): Promise<{ readonly isPrivate: boolean }>;
}
export const attachmentKinds = definePoint.keyed<AttachmentKind>('attachments.kinds');

export interface UploadOptions {
  /** Milliseconds since 1970 UTC; default: now. */
  readonly createdAt?: number;
  /** More writes in the transaction that stores it (only SQL). */
  within?(attachment: Attachment): Promise<void>;
}

export interface Attachments {
  limits(kind: string): AttachmentLimits;
  /** Throws BadRequest (or as `refuse` makes it) for a name whose type is not allowed. */
  checkType(kind: string, name: string): void;
  byId(owner: Pick<AttachmentOwner, 'kind' | 'ownerId'>, id: number): Promise<Attachment | undefined>;
  /** The newest of that name. */
  byName(owner: Pick<AttachmentOwner, 'kind' | 'ownerId'>, name: string): Promise<Attachment | undefined>;
  /** Keyed by owner; one query however many. */
  list(kind: string, ownerIds: readonly number[]): Promise<Map<number, Attachment[]>>;
  /** Streams the content in; nothing is left when that fails. */
  upload(
    owner: AttachmentOwner,
    name: string,
    content: Readable,
    uploaderId: number,
    more?: UploadOptions,
  ): Promise<Attachment>;
  /** A file that lies elsewhere. */
  addExternal(owner: AttachmentOwner, name: string, url: string, uploaderId: number): Promise<Attachment>;
  /** Throws Invalid for a name whose type is not allowed. */
  rename(attachment: Attachment, name: string): Promise<Attachment>;
  /** Rows now, contents after the commit; joins the caller's transaction. */
  remove(ids: readonly number[]): Promise<void>;
  /** All of these owners; joins the caller's transaction. */
  removeOf(kind: string, ownerIds: readonly number[]): Promise<void>;
  /** The content, for other uses than answers; NotFound for a file that lies elsewhere. */
  content(attachment: Attachment): Promise<Readable>;
  /** Responds with the content, or leads to where it lies; counts the download. */
  serve(attachment: Attachment, view: { readonly isPrivate: boolean }, request: DownloadRequest): Promise<Reply>;
  /** Model `Attachment`; `downloadUrl` instead of the address by uuid, for what has a better one. */
  toApi(attachment: Attachment, downloadUrl?: string): ApiAttachment;
}
export const attachments = defineService<Attachments>('attachments.attachments');

/** Model `Attachment` of the REST surface. */
export interface ApiAttachment {
  id: number;
  name: string;
  size: number;
  download_count: number;
  created_at: string;
  uuid: string;
  browser_download_url: string;
}

export const attachmentSchema = Joi.object<ApiAttachment>({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  size: Joi.number().integer().required().description('Bytes'),
  download_count: Joi.number().integer().required(),
  created_at: Joi.string().isoDate().required(),
  uuid: Joi.string().required(),
  browser_download_url: Joi.string().required(),
}).label('Attachment');
