/** Where repositories lie. */
import { defineService, type BackupSource, type BackupUnit } from '@mortise/plugin-sdk';
import type { ObjectFormat, RepositoryKind } from './names.js';

export interface CreateOptions {
  /** Branch that HEAD names; default `main`. */
  readonly defaultBranch?: string;
  readonly objectFormat?: ObjectFormat;
}

/** Folders of repositories: `<workDir>/repositories/<bucket>/<id>.git` (wikis `<id>.wiki.git`). */
export interface GitStore {
  path(id: number, kind?: RepositoryKind): string;
  exists(id: number, kind?: RepositoryKind): Promise<boolean>;
  /** Makes an empty repository (no process); nothing happens when it is there already. Not inside a transaction. */
  create(id: number, options?: CreateOptions, kind?: RepositoryKind): Promise<void>;
  /** Copies everything reachable (hard links, no alternates) from another repository. `branch`: only that one. */
  copy(from: number, to: number, options?: { branch?: string; kind?: RepositoryKind }): Promise<void>;
  /** Fetches all (mirror = all refs) from an address or path into a new repository, for migrations. */
  cloneFrom(id: number, address: string, options?: CloneOptions): Promise<void>;
  /** Makes objects of `from` available in `to` (fetch by local path); gives nothing when they are there. */
  fetchObjects(from: number, to: number, oids: readonly string[], kind?: RepositoryKind): Promise<void>;
  /** Removes; the folder is first moved aside, so a kill leaves only what the sweeper takes. */
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

/** What a {@link BackupSource} says of repositories, for the plugin that knows which there are. */
export interface GitBackup extends Omit<NonNullable<BackupSource['units']>, 'list'> {
  unit(id: number, kind?: RepositoryKind): BackupUnit;
}
export const gitBackup = defineService<GitBackup>('git.backup');

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
