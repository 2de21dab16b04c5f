/**
 * The contract of `contents`: commits as the REST surface shows them, and the places where other plugins add what they
 * know of branches, commits and files.
 */
import type { Readable } from 'node:stream';
import type { VNode } from 'preact';
import { defineEvent, definePoint, defineService, type Actor, type Keyed, type Slot } from '@mortise/plugin-sdk';
import type { AnnotatedTag, Commit, ResolvedName } from '@mortise/git/api';
import type { Repository, RepositoryContext, RepositoryPlace } from '@mortise/repositories/api';

export interface CommitParts {
  readonly stat?: boolean;
  readonly files?: boolean;
  readonly verification?: boolean;
}

export interface CommitModels {
  /** Model `Commit` for each; one batch of look-ups however many. */
  commits(
    repository: Repository,
    commits: readonly Commit[],
    actor: Actor,
    parts?: CommitParts,
  ): Promise<Record<string, unknown>[]>;
}
export const commitModels = defineService<CommitModels>('contents.commitModels');

// ---------------------------------------------------------------- signatures

export type SignedObject = Pick<Commit, 'oid' | 'signature' | 'payload' | 'committer'> | AnnotatedTag;

/** Model `PayloadCommitVerification` of the REST surface. */
export interface Verification {
  readonly verified: boolean;
  /** A word for programs: `gpg.error.not_signed_commit`, or what the signature proves. */
  readonly reason: string;
  readonly signature: string;
  readonly payload: string;
  readonly signer: { readonly name: string; readonly email: string; readonly username: string } | null;
}

/**
 * What the trust model of a repository makes of a signature by a known key: trusted, or of somebody whom the repository
 * does not trust; `unmatched` when this is not the committer either.
 */
export type Trust = 'trusted' | 'untrusted' | 'unmatched';

/** A verification for the pages of a repository. Here `verified` holds also when another than the committer signed. */
export interface JudgedVerification extends Verification {
  readonly trust?: Trust;
}

/** Extension point: tells what signatures prove. The first that answers for an object wins. */
export interface SignatureVerifier extends Keyed {
  readonly order?: number;
  /** One answer for each object, in order; undefined: cannot tell. Only signed objects are asked about. */
  verify(objects: readonly SignedObject[]): Promise<readonly (Verification | undefined)[]>;
  /** The same for pages, with the trust of the repository; without it they show what `verify` tells. */
  judge?(
    repository: Repository,
    objects: readonly SignedObject[],
  ): Promise<readonly (JudgedVerification | undefined)[]>;
}
export const signatureVerifiers = definePoint.keyed<SignatureVerifier>('contents.signatureVerifiers');

export interface CommitVerification {
  /** One answer for each object, in order; also for those that are not signed. */
  verify(objects: readonly SignedObject[]): Promise<Verification[]>;
  /** The same for pages, with the trust of the repository. */
  judge(repository: Repository, objects: readonly SignedObject[]): Promise<JudgedVerification[]>;
}
export const commitVerification = defineService<CommitVerification>('contents.commitVerification');

/**
 * Extension point: who signs commits that the site makes on behalf of people. The first that gives a signer does; its
 * name and address become the committer.
 */
export interface CommitSigner extends Keyed {
  readonly order?: number;
  signer(request: {
    readonly action: 'crud';
    readonly actorId: number;
    readonly parents: readonly SignedObject[];
  }): Promise<
    | { readonly name: string; readonly email: string; readonly sign: (payload: string | Buffer) => Promise<string> }
    | undefined
  >;
}
export const commitSigners = definePoint.keyed<CommitSigner>('contents.commitSigners');

// ---------------------------------------------------------------- branches

/** What rules say of one branch, for one actor. */
export interface BranchRule {
  /** Name (or pattern) of the rule that holds. */
  readonly ruleName: string;
  readonly requiredApprovals: number;
  readonly enableStatusCheck: boolean;
  readonly statusCheckContexts: readonly string[];
  readonly userCanPush: boolean;
  readonly userCanMerge: boolean;
}

/** Extension point: rules of branches, as the model `Branch` and the pages show them. */
export interface BranchRules extends Keyed {
  /** Only branches under a rule are in the answer; one batch of queries however many. */
  rules(
    context: RepositoryContext,
    actor: Actor,
    branches: readonly string[],
  ): Promise<ReadonlyMap<string, BranchRule>>;
}
export const branchRules = definePoint.keyed<BranchRules>('contents.branchRules');

/** Within the transaction of the references' event: the branch got a new name; `from` is gone. */
export const branchRenamed = defineEvent<{ repositoryId: number; from: string; to: string; actorId: number }>(
  'contents.branchRenamed',
);

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
export const mediaSources = definePoint.keyed<MediaSource>('contents.mediaSources');

// ---------------------------------------------------------------- pages

/** Extension point: a mark beside each commit in lists and headers, for instance the state of its checks. */
export interface CommitMark extends Keyed {
  readonly order?: number;
  /** Marks by object id; commits without one are left out. One batch of queries however many. */
  marks(context: RepositoryContext, oids: readonly string[]): Promise<ReadonlyMap<string, VNode>>;
}
export const commitMarks = definePoint.keyed<CommitMark>('contents.commitMarks');

/** A file or folder that a page shows. */
export interface FilePlace extends RepositoryPlace {
  readonly at: ResolvedName;
  /** Path without slashes at the ends; empty: the root. */
  readonly path: string;
  readonly type: 'file' | 'folder';
  /** The file is text that an editor may take. */
  readonly editable: boolean;
}
/** Buttons on the page of a file or folder (edit, delete, upload). */
export const fileActions = definePoint.keyed<Slot<FilePlace>>('contents.fileActions');

/** Two points that a page compares. */
export interface ComparePlace extends RepositoryPlace {
  readonly base: { readonly name: string; readonly commit: string };
  /** `repositoryId` differs from the page's own where a fork is compared. */
  readonly head: { readonly name: string; readonly commit: string; readonly repositoryId: number };
  readonly mergeBase: string | undefined;
  readonly commitCount: number;
}
/** What can be done with a comparison, for instance a button that opens a pull request. */
export const compareActions = definePoint.keyed<Slot<ComparePlace>>('contents.compareActions');

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
export const fileChanges = defineService<FileChanges>('contents.fileChanges');
