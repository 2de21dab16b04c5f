/**
 * The contract of `releases`: versions of a repository with notes and files, each on a tag; what happens to them, and
 * the schemas of the REST models. No behaviour.
 */
import Joi from 'joi';
import type { Readable } from 'node:stream';
import { defineEvent, definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';
import type { Repository } from '@mortise/repositories/api';

/** One row of `release`. Times are milliseconds since 1970 UTC. */
export interface Release {
  readonly id: number;
  readonly repositoryId: number;
  /** 0: nobody who is known. */
  readonly authorId: number;
  readonly tagName: string;
  /** Branch or commit that the tag is made on; empty where the tag was there before. */
  readonly target: string;
  readonly title: string;
  /** Markdown. */
  readonly note: string;
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  /** Message of the annotated tag that publishing a draft makes; empty: a plain tag. */
  readonly tagMessage: string;
  /** Of a draft: when it was begun; of a release on a tag that was there before: the time of that tag. */
  readonly createdAt: number;
  /** 0: a draft. */
  readonly publishedAt: number;
  readonly updatedAt: number;
}

/** A file of a release. */
export interface ReleaseAsset {
  readonly id: number;
  readonly releaseId: number;
  readonly repositoryId: number;
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

export interface ReleaseSearch {
  readonly repositoryId: number;
  /** Drafts are for those who may write; default false. */
  readonly includeDrafts?: boolean;
  readonly isDraft?: boolean;
  readonly isPrerelease?: boolean;
  /** `*` stands for any text, everything else for itself; without regard to case (REL-01 … REL-04). */
  readonly tagFilter?: string;
  /** Part of title or tag, without regard to case. */
  readonly text?: string;
  readonly limit: number;
  readonly offset: number;
}

/** For plugins that show or tell about releases. */
export interface Releases {
  byId(id: number): Promise<Release | undefined>;
  /** Those with that tag; drafts too. */
  byTag(repositoryId: number, tagName: string): Promise<Release | undefined>;
  /** The newest that is neither draft nor pre-release. */
  latest(repositoryId: number): Promise<Release | undefined>;
  /** Newest first. */
  list(search: ReleaseSearch): Promise<{ items: Release[]; total: number }>;
  /** Keyed by release; one query however many. */
  assets(releaseIds: readonly number[]): Promise<Map<number, ReleaseAsset[]>>;
  /** Model `Release`; one batch of queries however many. */
  toApi(repository: Repository, releases: readonly Release[]): Promise<ApiRelease[]>;
  /** Address of the page. */
  htmlUrl(repository: Repository, release: Pick<Release, 'tagName'>): string;
}
export const releases = defineService<Releases>('releases.releases');

// ---------------------------------------------------------------- events

export interface ReleaseEvent {
  readonly repositoryId: number;
  readonly releaseId: number;
  readonly tagName: string;
  readonly title: string;
  readonly isPrerelease: boolean;
  readonly actorId: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}
/** Everyone who reads the repository sees it from now on. Drafts are never told. */
export const releasePublished = defineEvent<ReleaseEvent>('releases.published');
/** Texts or marks of a published one changed; `isDraft`: it is a draft now. */
export const releaseEdited = defineEvent<ReleaseEvent & { readonly isDraft: boolean }>('releases.edited');
export const releaseDeleted = defineEvent<
  ReleaseEvent & {
    /** Model `Release` as it was, for those who tell about it. */
    readonly record: Record<string, unknown>;
  }
>('releases.deleted');

// ---------------------------------------------------------------- files

/** Something that `/attachments/{uuid}` answers with. */
export interface ServedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly createdAt: number;
  readonly isPrivate: boolean;
  /** `end` is inclusive. */
  open(range?: { start: number; end: number }): Promise<Readable>;
  /** An address for direct download, where the store has one; or where a file elsewhere lies. */
  elsewhere(): Promise<string | undefined>;
  /** Notes one download. */
  count(): void;
}

/** Extension point: whose the files under `/attachments/{uuid}` are. The first that knows the uuid answers. */
export interface AttachmentSource extends Keyed {
  /** Undefined: not mine. Throws NotFound for what the actor may not see. */
  find(uuid: string, actor: Actor): Promise<ServedFile | undefined>;
}
export const attachmentSources = definePoint.keyed<AttachmentSource>('releases.attachmentSources');

// ---------------------------------------------------------------- REST models

export interface ApiAsset {
  id: number;
  name: string;
  size: number;
  download_count: number;
  created_at: string;
  uuid: string;
  browser_download_url: string;
}

export interface ApiRelease {
  id: number;
  tag_name: string;
  target_commitish: string;
  name: string;
  body: string;
  url: string;
  html_url: string;
  tarball_url: string;
  zipball_url: string;
  upload_url: string;
  draft: boolean;
  prerelease: boolean;
  created_at: string;
  published_at: string;
  author: ApiUser;
  assets: ApiAsset[];
}

const text = () => Joi.string().allow('').required();

export const assetSchema = Joi.object<ApiAsset>({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  size: Joi.number().integer().required().description('Bytes'),
  download_count: Joi.number().integer().required(),
  created_at: Joi.string().isoDate().required(),
  uuid: Joi.string().required(),
  browser_download_url: Joi.string().required(),
}).label('Attachment');

export const releaseSchema = Joi.object<ApiRelease>({
  id: Joi.number().integer().required(),
  tag_name: Joi.string().required(),
  target_commitish: text(),
  name: text(),
  body: text(),
  url: Joi.string().required(),
  html_url: Joi.string().required(),
  tarball_url: Joi.string().required(),
  zipball_url: Joi.string().required(),
  upload_url: Joi.string().required(),
  draft: Joi.boolean().required(),
  prerelease: Joi.boolean().required(),
  created_at: Joi.string().isoDate().required(),
  published_at: Joi.string().isoDate().required(),
  author: userSchema.required(),
  assets: Joi.array().items(assetSchema).required(),
}).label('Release');
