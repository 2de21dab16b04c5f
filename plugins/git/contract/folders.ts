/** Bare repositories outside of this site's store, such as the `git` folder of a dump. */
import { defineService } from '@mortise/plugin-sdk';
import type { RepositoryKind } from './names.js';
import type { RemoteAddress, RemoteOptions, RemoteRefs } from './remotes.js';

export interface FolderOptions {
  readonly kind?: RepositoryKind;
  /** Which references go along; default: branches and tags. */
  accepts?(ref: string): boolean;
}

export interface GitFolders {
  /** Makes a bare repository of one of ours in a folder that is not there yet. */
  write(repositoryId: number, folder: string, options?: FolderOptions): Promise<RemoteRefs>;
  /** Makes a bare repository of one of another server in a folder that is not there yet; as {@link GitRemotes} fetches. */
  download(
    address: RemoteAddress,
    folder: string,
    options?: RemoteOptions & {
      /** The name there for a reference of theirs; undefined leaves it out. Default: branches and tags by their own names. */
      target?(ref: string): string | undefined;
    },
  ): Promise<RemoteRefs>;
  /**
   * Makes one of our repositories, whose folder is not there yet, of a folder that anybody may have made: only objects and
   * references are taken. Links, hooks, configuration and borrowed objects stay behind, and objects are checked as pushed
   * ones are. Invalid where it is no repository, or lacks objects.
   */
  read(folder: string, repositoryId: number, options?: FolderOptions): Promise<RemoteRefs>;
}
export const gitFolders = defineService<GitFolders>('git.folders');

export interface SourceRepository {
  readonly kind?: RepositoryKind;
  /** Branch that HEAD is to name; default: what it names there. */
  readonly defaultBranch?: string;
}

/** Repositories in the work folder of a server that is taken over: their files are trusted, and only read. */
export interface GitTakeover {
  /**
   * Makes one of our repositories of such a folder: packs and objects as they are, by hard link where the file system
   * allows, and references. Done again, it brings what has changed there since, and leaves what has changed here alone.
   */
  take(folder: string, repositoryId: number, options?: SourceRepository): Promise<'missing' | 'unchanged' | 'changed'>;
  /** References that differ between such a folder and our repository, each with both ends; some of them where many do. */
  differences(folder: string, repositoryId: number, kind?: RepositoryKind): Promise<readonly string[]>;
  /** Whether `take` has made our repository, or has brought something to it. */
  hasTaken(repositoryId: number, kind?: RepositoryKind): Promise<boolean>;
}
export const gitTakeover = defineService<GitTakeover>('git.takeover');
