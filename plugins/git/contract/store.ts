/** Where repositories lie. */
import {
  defineEvent,
  definePoint,
  defineService,
  type BackupSource,
  type BackupUnit,
  type Keyed,
} from '@mortise/plugin-sdk';
import type { ObjectFormat, RepositoryKind } from './names.js';

export interface CreateOptions {
  /** Branch that HEAD names; default `main`. */
  readonly defaultBranch?: string;
  readonly objectFormat?: ObjectFormat;
}

/** Folders of repositories: `<workDir>/repositories/<bucket>/<id>.git` (wikis `<id>.wiki.git`). */
export interface GitStore {
  /** Its name in the folder of the site: the repository, or a link to where it lies. */
  path(id: number, kind?: RepositoryKind): string;
  /** Unavailable where the disk that it lies on is away. */
  exists(id: number, kind?: RepositoryKind): Promise<boolean>;
  /** Makes an empty repository (no process); nothing happens when it is there already. Not inside a transaction. */
  create(id: number, options?: CreateOptions, kind?: RepositoryKind): Promise<void>;
  /** Copies everything reachable (hard links, no alternates) from another repository. `branch`: only that one. */
  copy(from: number, to: number, options?: { branch?: string; kind?: RepositoryKind }): Promise<void>;
  /** Fetches all (mirror = all refs) from an address or path into a new repository, for migrations. */
  cloneFrom(id: number, address: string, options?: CloneOptions): Promise<void>;
  /**
   * Brings commits of one repository into another: their git objects (fetch by local path), then what belongs to them
   * outside git ({@link externalContents}). Call it before a reference of `to` leads to them; does nothing when all is
   * there already. Not inside a transaction.
   */
  fetchObjects(from: number, to: number, oids: readonly string[], options?: FetchOptions): Promise<void>;
  /**
   * The second half of {@link fetchObjects} alone, for commits whose git objects are in `to` already: for a reference
   * that is about to move to them, or where they came from somewhere else than a repository of this site.
   */
  shareExternalContent(transfer: CommitTransfer): Promise<void>;
  /** Removes; the folder is first moved aside, so a kill, or a disk that is away, leaves only what the sweeper takes. */
  delete(id: number, kind?: RepositoryKind): Promise<void>;
  /** Branch that HEAD names, whether or not it exists. */
  head(id: number, kind?: RepositoryKind): Promise<string>;
  setHead(id: number, branch: string, kind?: RepositoryKind): Promise<void>;
  /** Bytes on disk. */
  size(id: number, kind?: RepositoryKind): Promise<number>;
  /** Every repository on the disk, also those that no row knows, with when its folder was last changed (ms since 1970 UTC). */
  folders(): AsyncIterable<{ readonly id: number; readonly kind: RepositoryKind; readonly changedAt: number }>;
  /** Moves a folder that nobody knows out of the way, and gives where it lies then. Nothing is deleted. */
  setAside(id: number, kind?: RepositoryKind): Promise<string>;
}
export const gitStore = defineService<GitStore>('git.store');

/** A disk that repositories lie on (`[git.storages]`). */
export interface StorageState {
  /** `default` for `[repository] ROOT`. */
  readonly name: string;
  readonly path: string;
  /** Share of new repositories; 0: none. */
  readonly weight: number;
  /** Of the file system, which others may use too; undefined: it cannot be asked, or is not mounted. */
  readonly disk?: { readonly totalBytes: number; readonly freeBytes: number };
}

/** Where repositories lie. */
export interface RepositoryStorages {
  /** The default one first. */
  list(): Promise<readonly StorageState[]>;
  /** The name of the storage that a repository lies on; undefined: it is nowhere. */
  storageOf(id: number, kind?: RepositoryKind): Promise<string | undefined>;
  /**
   * Moves a repository while it is used: writes wait for some seconds, and fail where that is not enough. False: it lies
   * there already. NotFound: there is no such storage, or repository. Unavailable: somebody writes all the time.
   */
  move(id: number, storage: string, kind?: RepositoryKind): Promise<boolean>;
}
export const repositoryStorages = defineService<RepositoryStorages>('git.storages');

export interface FetchOptions {
  readonly kind?: RepositoryKind;
  /** Commits whose history `to` has whole; default: everything that its references lead to. */
  readonly not?: readonly string[];
  /** Only the files of the commits themselves will be used, as of a template. */
  readonly withoutHistory?: boolean;
}

/** Commits that come from one repository of code into another. */
export interface CommitTransfer extends Omit<FetchOptions, 'kind'> {
  readonly from: number;
  readonly to: number;
  readonly commits: readonly string[];
}

/**
 * Extension point: content that files of commits name and that lies outside git, such as objects of LFS. It must be in
 * a repository before references lead there to the commits that name it.
 */
export interface ExternalContent extends Keyed {
  /** The git objects are in `to` by now. Looks only at what is new there. What it throws stops the change. */
  share(transfer: CommitTransfer): Promise<void>;
}
export const externalContents = definePoint.keyed<ExternalContent>('git.externalContents');

/** What a {@link BackupSource} says of repositories, for the plugin that knows which there are. */
export interface GitBackup extends Omit<NonNullable<BackupSource['units']>, 'list'> {
  unit(id: number, kind?: RepositoryKind): BackupUnit;
}
export const gitBackup = defineService<GitBackup>('git.backup');

/** A check of its objects has found damage that the one before had not. `problem` is what git said, without paths. */
export const repositoryDamaged = defineEvent<{
  readonly repositoryId: number;
  readonly kind: RepositoryKind;
  readonly problem: string;
}>('git.repositoryDamaged');

export interface CloneOptions {
  readonly kind?: RepositoryKind;
  readonly mirror?: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Reads the source from the local disk; only for paths that this site made itself. */
  readonly local?: boolean;
}
