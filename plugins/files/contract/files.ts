/** The contract of `files`: commits on behalf of people, buttons on the pages of files, and content that lies elsewhere. */
import type { Readable } from 'node:stream';
import { definePoint, defineService, type Actor, type Keyed, type Slot, type Text } from '@mortise/plugin-sdk';
import type { Commit, ResolvedName } from '@mortise/git/api';
import type { Repository, RepositoryPageContext } from '@mortise/repositories/api';

// ---------------------------------------------------------------- large files

/** Extension point: content that lies elsewhere, and of which the repository holds only a small pointer file. */
export interface MediaSource extends Keyed {
  readonly order?: number;
  /** The content that a small file points at; undefined: it is no pointer of this source, or the content is not there. */
  open(
    repositoryId: number,
    pointerBytes: Buffer,
    /** `end` is inclusive. */
    range?: { readonly start: number; readonly end?: number },
  ): Promise<{ readonly size: number; readonly stream: Readable } | undefined>;
}
export const mediaSources = definePoint.keyed<MediaSource>('files.mediaSources');

// ---------------------------------------------------------------- pages

/** A file or folder that a page shows. */
export interface FilePageContext extends RepositoryPageContext {
  readonly at: ResolvedName;
  /** Path without slashes at the ends; empty: the root. */
  readonly path: string;
  readonly type: 'file' | 'folder';
  /** The file is text that an editor may take. */
  readonly editable: boolean;
}
/** Buttons on the page of a file or folder (edit, delete, upload). */
export const fileActions = definePoint.keyed<Slot<FilePageContext>>('files.fileActions');

/** Above the content of a file: what a plugin knows of it. */
export const fileNotices = definePoint.keyed<Slot<FilePageContext>>('files.fileNotices');

/** What can be done with lines of a file that somebody chose, such as opening an issue about them. */
export interface LineAction extends Keyed {
  readonly order?: number;
  readonly label: Text;
  /** Octicon name. */
  readonly icon: string;
  /** Path below the repository's page, for instance `issues/new`. */
  readonly href: string;
  /** Of the query: it gets the permanent address of the lines. */
  readonly parameter: string;
  visible(page: FilePageContext): boolean;
}
export const lineActions = definePoint.keyed<LineAction>('files.lineActions');

// ---------------------------------------------------------------- writing files

/** What happens to one file; `content` is base64, `oid` a blob that the repository has already. */
export interface FileOperation {
  readonly operation: 'create' | 'update' | 'upload' | 'rename' | 'delete';
  readonly path: string;
  readonly content?: string;
  readonly oid?: string;
  /** Id of the blob that is to be replaced; another one there is refused. */
  readonly sha?: string;
  readonly fromPath?: string;
}

export interface FileChangeRequest {
  readonly operations: readonly FileOperation[];
  readonly message?: string;
  readonly branch?: string;
  readonly newBranch?: string;
  readonly author?: { readonly name?: string; readonly email?: string } | null;
  readonly committer?: { readonly name?: string; readonly email?: string } | null;
  readonly dates?: { readonly author?: string; readonly committer?: string } | null;
  readonly signoff?: boolean;
  readonly forcePush?: boolean;
  /** A unified diff instead of operations. */
  readonly patch?: string;
  /**
   * The change of a commit instead of operations, applied (its author stays the author) or reverted; of a merge, the
   * change against its first parent. Invalid where it conflicts or changes nothing.
   */
  readonly pick?: { readonly commit: string; readonly revert?: boolean };
}

export interface FileChangeResult {
  readonly commit: Commit;
  readonly branch: string;
  /** Paths as they are now; undefined where a file was deleted. */
  readonly paths: readonly (string | undefined)[];
}

export interface FileChanges {
  /** One commit, all or nothing, through the gate; Invalid for what does not fit, NotFound for what is not there. */
  apply(repository: Repository, actor: Actor, request: FileChangeRequest): Promise<FileChangeResult>;
  /** Throws Invalid for a path that no file may have; gives it without slashes in front. */
  checkPath(path: string): string;
}
export const fileChanges = defineService<FileChanges>('files.fileChanges');
