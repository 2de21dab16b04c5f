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
