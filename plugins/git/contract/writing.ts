/** Making objects and commits. */
import type { Readable } from 'node:stream';
import { defineService, type Actor } from '@mortise/plugin-sdk';
import type { ObjectType, RepositoryKind } from './names.js';
import type { Signature } from './reading.js';
import { formatSignature } from '../services/objects.js';

/** A change to one path of a tree. */
export type TreeChange =
  | { readonly path: string; readonly content: Buffer | string; readonly mode?: string }
  | { readonly path: string; readonly oid: string; readonly mode: string }
  | { readonly path: string; readonly remove: true };

export interface CommitDraft {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  /** The message of a commit that is made anew: no line feed is added at its end. */
  readonly keepsMessage?: boolean;
  /** Armoured signature to store as `gpgsig`. */
  readonly signature?: string;
}

const bytesOf = (draft: CommitDraft): { head: readonly string[]; message: string } => {
  const message = draft.message.replace(/\0/g, '');
  return {
    head: [
      `tree ${draft.tree}`,
      ...draft.parents.map((parent) => `parent ${parent}`),
      `author ${formatSignature(draft.author)}`,
      `committer ${formatSignature(draft.committer)}`,
    ],
    message: message === '' || message.endsWith('\n') || draft.keepsMessage ? message : `${message}\n`,
  };
};

/** The bytes of a commit without its signature, as git stores them: what a signature covers. */
export function commitPayload(draft: CommitDraft): string {
  const { head, message } = bytesOf(draft);
  return [...head, '', message].join('\n');
}

/** The bytes of a commit. */
export function commitBytes(draft: CommitDraft): Buffer {
  const { head, message } = bytesOf(draft);
  const signature = draft.signature ? [`gpgsig ${draft.signature.replace(/\n+$/, '').split('\n').join('\n ')}`] : [];
  return Buffer.from([...head, ...signature, '', message].join('\n'));
}

export interface MergeResult {
  /** Tree of the merge; undefined when there are conflicts. */
  readonly tree?: string;
  readonly conflicts: readonly string[];
  /** With conflicts: a tree whose files in conflict hold both sides between the marks of git. No reference keeps it. */
  readonly marked?: string;
}

/** Makes objects (no process for blobs, trees, commits, tags). Objects alone are harmless; references go through {@link RefUpdates}. */
export interface GitWriter {
  writeBlob(id: number, content: Buffer | string, kind?: RepositoryKind): Promise<string>;
  /** Streams large content in (`git hash-object`). */
  writeBlobStream(id: number, content: Readable, kind?: RepositoryKind): Promise<string>;
  /** A new tree: `base` (commit, tree, or undefined for nothing) with the changes. Conflict when a file would be a folder too. */
  writeTree(
    id: number,
    base: string | undefined,
    changes: readonly TreeChange[],
    kind?: RepositoryKind,
  ): Promise<string>;
  writeCommit(id: number, draft: CommitDraft, kind?: RepositoryKind): Promise<string>;
  writeTag(
    id: number,
    draft: { object: string; type?: ObjectType; name: string; tagger: Signature; message: string },
    kind?: RepositoryKind,
  ): Promise<string>;
  /** Applies a unified diff to a commit or tree without a work tree; Invalid when it does not apply. Gives the tree. */
  applyPatch(id: number, base: string, patch: string | Buffer, kind?: RepositoryKind): Promise<string>;
  /** Merge of two commits without a work tree. */
  mergeTree(
    id: number,
    ours: string,
    theirs: string,
    options?: { base?: string; kind?: RepositoryKind; message?: string },
  ): Promise<MergeResult>;
  /**
   * Rebases the commits `upstream..head` onto `onto` as `git rebase` does; gives the new head, or the conflicts. `finish` sees each commit
   * before it is written, for instance to sign it.
   */
  rebase(
    id: number,
    options: {
      head: string;
      upstream: string;
      onto: string;
      committer?: Signature;
      kind?: RepositoryKind;
      finish?(draft: CommitDraft): Promise<CommitDraft>;
    },
  ): Promise<{ head?: string; conflicts: readonly string[] }>;
  /** Cherry-picks (or reverts) one commit onto another. Gives the tree. */
  pick(
    id: number,
    commit: string,
    onto: string,
    options?: { revert?: boolean; kind?: RepositoryKind },
  ): Promise<MergeResult>;
  /** Sets (or with undefined removes) the note on a commit in refs/notes/commits, through the gate. */
  setNote(
    id: number,
    commit: string,
    message: string | undefined,
    by: { pusher: Actor; signature: Signature },
  ): Promise<void>;
}
export const gitWriter = defineService<GitWriter>('git.writer');
