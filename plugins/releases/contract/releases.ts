/**
 * The contract of `releases`: versions of a repository with notes and files, each on a tag; what happens to them, and
 * the schemas of the REST models. No behaviour.
 */
import { Joi, defineEvent, defineService } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';
import { attachmentSchema, type ApiAttachment, type Attachment, type AttachmentOwner } from '@mortise/attachments/api';
import type { Repository } from '@mortise/repositories/api';

/** One row of `release`. Times are milliseconds since 1970 UTC. */
export interface Release {
  readonly id: number;
  readonly repositoryId: number;
  /** 0: nobody who is known. */
  readonly authorId: number;
  /** Who made it where it was imported from; empty: the author did. */
  readonly originalAuthor: string;
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
  assets(releaseIds: readonly number[]): Promise<Map<number, Attachment[]>>;
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

// ---------------------------------------------------------------- REST models

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
  assets: ApiAttachment[];
}

const text = () => Joi.string().allow('').required();

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
  assets: Joi.array().items(attachmentSchema).required(),
}).label('Release');

// ---------------------------------------------------------------- imports

/** A release of another service. Times are milliseconds since 1970 UTC. */
export interface ImportedRelease {
  readonly authorId: number;
  /** Empty: the account made it. */
  readonly originalAuthor: string;
  readonly tagName: string;
  readonly target: string;
  readonly title: string;
  /** Markdown. */
  readonly note: string;
  /** Its tag must be there unless it is one. */
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  readonly createdAt: number;
  /** 0: a draft. */
  readonly publishedAt: number;
}

/**
 * Writes releases as they were at another service. Notifies nobody, emits nothing, and runs in the caller's transaction.
 * Gives the ids in the order of what was given; one that is there by its tag is taken as it is. Files are added with
 * `attachments`, as the {@link releaseAssetOwner} says.
 */
export interface ReleaseImports {
  /** Ids in the order of the releases; undefined: there is another one with that tag. */
  releases(repositoryId: number, releases: readonly ImportedRelease[]): Promise<(number | undefined)[]>;
}
export const releaseImports = defineService<ReleaseImports>('releases.imports');

/** What files of a release belong to, for `attachments`. */
export const releaseAssetOwner = (repositoryId: number, releaseId: number): AttachmentOwner => ({
  kind: 'releases',
  ownerId: releaseId,
  repositoryId,
});
