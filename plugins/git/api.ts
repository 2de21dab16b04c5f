/**
 * The public contract of `git`: where repositories lie, how they are read without starting processes, and the one
 * gate through which every reference moves.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { SimpleGit } from 'simple-git';
import {
  defineEvent,
  definePoint,
  defineService,
  type Actor,
  type BackupSource,
  type BackupUnit,
} from '@mortise/plugin-sdk';

// ---------------------------------------------------------------- names

/** A repository of code or its wiki; both are told by the numeric id of the repository. */
export type RepositoryKind = 'code' | 'wiki';
export type ObjectFormat = 'sha1' | 'sha256';
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** The object id of "nothing" in reference updates (40 or 64 zeros are both understood). */
export const zeroOid = '0'.repeat(40);
/** Is it the id of "nothing"? */
export const isZeroOid = (oid: string): boolean => /^0+$/.test(oid);
/** A whole object id, SHA-1 or SHA-256, lower case. */
export const isOid = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Did git fail over objects that are missing or spoilt? A fault of the repository, not of the server. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'GitFailure' || error.message === 'the object reader ended');

// ---------------------------------------------------------------- store

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

// ---------------------------------------------------------------- reading

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Milliseconds since 1970 UTC. */
  readonly time: number;
  /** As git writes it, for instance `+0200`. */
  readonly zone: string;
}

export interface Commit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  /** As stored, usually ending in a line feed. */
  readonly message: string;
  /** Armoured signature (`gpgsig`), PGP or SSH. */
  readonly signature?: string;
  /** The bytes that the signature covers; set only with `signature`. */
  readonly payload?: string;
}

/** A commit and what it came from. */
export type CommitParents = Pick<Commit, 'oid' | 'parents'>;

export interface AnnotatedTag {
  readonly oid: string;
  readonly object: string;
  readonly type: ObjectType;
  readonly name: string;
  readonly tagger?: Signature;
  readonly message: string;
  readonly signature?: string;
  readonly payload?: string;
}

export interface TreeEntry {
  /** `100644`, `100755`, `120000` (link), `040000` (folder), `160000` (submodule). */
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly oid: string;
  readonly name: string;
}

/** An entry with its whole path. */
export interface PathEntry extends TreeEntry {
  readonly path: string;
  /** Bytes of a blob, where it was asked for. */
  readonly size?: number;
}

export interface Ref {
  /** `refs/heads/main` */
  readonly ref: string;
  /** `main` */
  readonly name: string;
  /** What it points at (a tag object for annotated tags). */
  readonly oid: string;
}

export interface ResolvedName {
  /** What the name was: a branch, a tag, another reference, or an object id (also abbreviated). */
  readonly kind: 'branch' | 'tag' | 'ref' | 'commit';
  /** Full reference; undefined for object ids. */
  readonly ref?: string;
  /** Short name of the reference, or the whole object id. */
  readonly name: string;
  /** What it points at, unpeeled. */
  readonly oid: string;
  /** The commit after peeling. */
  readonly commit: string;
}

export interface LogOptions {
  /** Object ids of commits to start from. */
  readonly from: readonly string[];
  /** Commits whose history is left out. */
  readonly not?: readonly string[];
  readonly path?: string;
  /** Follows renames of a single file. */
  readonly follow?: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly since?: number;
  readonly until?: number;
  /** Matches author name or address, without case. */
  readonly author?: string;
  /** Words of the message, without case. */
  readonly search?: string;
  readonly noMerges?: boolean;
  readonly firstParent?: boolean;
  readonly offset?: number;
  /** Default 30. */
  readonly limit?: number;
  /** The total over all pages is counted too (default true). */
  readonly total?: boolean;
}

export type ChangeStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typechange';

export interface FileChange {
  readonly status: ChangeStatus;
  readonly path: string;
  /** For renamed and copied files. */
  readonly oldPath?: string;
  readonly oldMode: string;
  readonly mode: string;
  readonly oldOid: string;
  readonly oid: string;
  /** Lines; 0 for binary files. */
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

export interface ChangeOptions {
  /** Tell renames (default true). */
  readonly renames?: boolean;
  readonly path?: string;
  /** Count lines too (default true; without it additions and deletions are 0). */
  readonly stats?: boolean;
}

export interface PatchOptions {
  /** `diff`: one unified diff; `patch`: a mail per commit (format-patch). */
  readonly format?: 'diff' | 'patch';
  readonly binary?: boolean;
  readonly context?: number;
  readonly renames?: boolean;
  readonly ignoreWhitespace?: 'all' | 'change' | 'eol';
  readonly path?: string;
  /** Only these files; of a renamed file both names. */
  readonly paths?: readonly string[];
}

export interface BlameLine {
  /** 1-based line in the file. */
  readonly line: number;
  readonly commit: string;
  /** Where the line stood then. */
  readonly path: string;
  readonly text: string;
}

/** One commit-or-tree with everything below it, from caches or pooled processes. All oids must be whole. */
export interface GitRepository {
  readonly id: number;
  readonly kind: RepositoryKind;
  readonly path: string;

  objectFormat(): Promise<ObjectFormat>;

  // ---- references (cached; fresh after every change through the gate, in every process)

  /** True while there is no branch at all. */
  isEmpty(): Promise<boolean>;
  /** A word that stands for all references as they are; undefined while they move. */
  state(): Promise<string | undefined>;
  /** HEAD: `{ branch: 'main', oid?: … }`; no oid while the branch does not exist. */
  head(): Promise<{ branch: string; ref: string; oid?: string }>;
  /** All references below a prefix (default `refs/`), ordered by name. */
  refs(prefix?: string): Promise<readonly Ref[]>;
  branches(): Promise<readonly Ref[]>;
  tags(): Promise<readonly Ref[]>;
  /** A full reference such as `refs/heads/main`. */
  ref(ref: string): Promise<Ref | undefined>;
  branch(name: string): Promise<Ref | undefined>;
  tag(name: string): Promise<Ref | undefined>;
  /**
   * A branch, tag, full reference, whole or abbreviated (7+) id, or `HEAD`, in that order; empty: HEAD. Ids only of
   * what may be read ({@link isReadable}).
   * Also `name~2`, `name^` and the like. Undefined when there is none, or it is no commit.
   */
  resolve(name: string): Promise<ResolvedName | undefined>;
  /** Follows tag objects to what they finally name. */
  peel(oid: string): Promise<{ oid: string; type: ObjectType } | undefined>;
  /**
   * The whole id of an abbreviated one (7 digits or more) when it is the only commit that references lead to; a whole
   * one when it may be read.
   */
  expand(prefix: string): Promise<string | undefined>;
  /**
   * May an object that somebody named by its whole id be read? A commit when a reference leads to it, or when one named
   * it within the last 90 days; anything else when it is there.
   */
  isReadable(oid: string): Promise<boolean>;

  // ---- objects (immutable, cached)

  info(oid: string): Promise<{ type: ObjectType; size: number } | undefined>;
  /** NotFound when it is not there or no commit; tags are peeled. */
  commit(oid: string): Promise<Commit>;
  /** Many at once, in order; missing ones are left out. */
  commits(oids: readonly string[]): Promise<Commit[]>;
  annotatedTag(oid: string): Promise<AnnotatedTag>;
  /** Entries of one tree, in git's order; accepts a commit too. */
  tree(oid: string): Promise<readonly TreeEntry[]>;
  /** The entry at a path below a commit or tree; `''`: the root tree itself. */
  entry(commitOrTree: string, path: string): Promise<PathEntry | undefined>;
  /**
   * Everything below a commit or tree, parents before children; sizes of blobs included. Ask for pages where anybody
   * may have made the tree: a page costs what it holds; `too_large` Problem beyond 500,000 entries at once.
   */
  treeRecursive(
    commitOrTree: string,
    options?: { offset?: number; limit?: number; path?: string },
  ): Promise<{ entries: PathEntry[]; total: number }>;
  /** A blob in memory; `too_large` Problem beyond `maxBytes` (default 50 MiB). */
  blob(oid: string, maxBytes?: number): Promise<Buffer>;
  /** A blob as a stream; `end` is inclusive. */
  blobStream(oid: string, range?: { start: number; end?: number }): Promise<{ size: number; stream: Readable }>;
  /** Any object's raw content. */
  raw(oid: string): Promise<{ type: ObjectType; content: Buffer } | undefined>;

  // ---- history (cached by commit ids)

  log(options: LogOptions): Promise<{ commits: Commit[]; total: number }>;
  /** Commits reachable from one and not from others. */
  count(oid: string, not?: readonly string[]): Promise<number>;
  /** The last commit that touched the file or folder. */
  lastCommit(commit: string, path: string): Promise<string | undefined>;
  /** Name of each entry of the folder → the last commit that touched it; one pass, cached. */
  lastCommits(commit: string, path: string): Promise<ReadonlyMap<string, string>>;
  mergeBase(one: string, other: string): Promise<string | undefined>;
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Commits that only `head` has (ahead) and only `base` has (behind). */
  aheadBehind(base: string, head: string): Promise<{ ahead: number; behind: number }>;
  /** Branches or tags whose history holds the commit. */
  refsContaining(oid: string, prefix?: 'refs/heads/' | 'refs/tags/'): Promise<Ref[]>;

  // ---- differences (cached by object ids)

  /**
   * Files that differ; `from` undefined: against nothing (first commit). Commits or trees. `too_large` Problem beyond
   * 500,000 files.
   */
  changes(from: string | undefined, to: string, options?: ChangeOptions): Promise<readonly FileChange[]>;
  /** What a commit did against its first parent. */
  commitChanges(commit: string, options?: ChangeOptions): Promise<readonly FileChange[]>;
  /**
   * The same of many commits at the cost of one git process, by object id. Those whose objects are damaged, or whose
   * changes are too many, are not in it.
   */
  commitsChanges(
    commits: readonly CommitParents[],
    options?: ChangeOptions,
  ): Promise<ReadonlyMap<string, readonly FileChange[]>>;
  /** Text of the difference as a stream; with format `patch`, `from..to` as mails. */
  patch(from: string | undefined, to: string, options?: PatchOptions): Readable;
  /** The same in memory; `too_large` beyond `maxBytes` (default 20 MiB). */
  patchText(from: string | undefined, to: string, options?: PatchOptions, maxBytes?: number): Promise<string>;
  blame(commit: string, path: string): Promise<BlameLine[]>;

  // ---- the rest

  archive(
    commit: string,
    options: { format: 'zip' | 'tar.gz' | 'tar' | 'bundle'; prefix?: string; paths?: readonly string[] },
  ): Readable;
  /** Bytes by language of a commit's tree (vendored, generated and data files left out); none where it is damaged. */
  languages(commit: string): Promise<Readonly<Record<string, number>>>;
  /** Message of the note on a commit (refs/notes/commits). */
  note(commit: string): Promise<{ oid: string; message: string } | undefined>;
  /** Lines that hold the pattern; of very long lines the first 16 KiB. */
  grep(
    commit: string,
    pattern: string,
    options?: { path?: string; limit?: number; fixed?: boolean; ignoreCase?: boolean },
  ): Promise<{ path: string; line: number; text: string }[]>;
  /** Runs a git command that only reads; arguments must not come from users unchecked. */
  run(
    args: readonly string[],
    options?: { input?: string | Buffer; maxBytes?: number; okCodes?: readonly number[] },
  ): Promise<string>;
}

export interface GitReader {
  /** Cheap; nothing is read before a method is called. A repository without a folder reads as empty. */
  open(id: number, kind?: RepositoryKind): GitRepository;
  /**
   * A view that also sees the objects of other repositories of code, for comparing with forks. Nothing is copied, and
   * names mean what they mean in the first. Whoever asks has seen to it that the others may be read.
   */
  across(id: number, others: readonly number[]): GitRepository;
  /** A view that also sees the objects of a push that is not accepted yet (no caches for those). */
  quarantined(id: number, kind: RepositoryKind, environment: Readonly<Record<string, string>>): GitRepository;
}
export const gitReader = defineService<GitReader>('git.reader');

// ---------------------------------------------------------------- the gate

export interface RefUpdate {
  /** `refs/heads/main` */
  readonly ref: string;
  /** Zeros when it is new. */
  readonly old: string;
  /** Zeros when it goes away. */
  readonly new: string;
}

/** Where a change comes from. */
export type UpdateSource = 'http' | 'ssh' | 'api' | 'web' | 'merge' | 'mirror' | 'agit' | 'internal';

export interface RefChange {
  readonly repositoryId: number;
  readonly kind: RepositoryKind;
  readonly updates: readonly RefUpdate[];
  readonly pusher: Actor;
  readonly pushOptions: Readonly<Record<string, string>>;
  readonly source: UpdateSource;
  /** Set for pushes: environment with which git sees the pushed objects; use {@link GitReader.quarantined}. */
  readonly quarantine?: Readonly<Record<string, string>>;
  /** Facts for checks, for instance `{ pullRequestId }` of a merge. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Extension point: what may refuse a change of references before it happens. */
export interface RefCheck {
  readonly key: string;
  readonly order?: number;
  /** Throws a Problem to refuse; its message is shown to the pusher. Not inside a transaction. */
  check(change: RefChange): Promise<void>;
}
export const refChecks = definePoint.keyed<RefCheck>('git.refChecks');

/** Extension point: commits that stay although no reference leads to them, such as those of deleted branches. */
export interface KeptCommits {
  readonly key: string;
  list(repositoryId: number, kind: RepositoryKind): Promise<readonly string[]>;
}
export const keptCommits = definePoint.keyed<KeptCommits>('git.keptCommits');

/**
 * Extension point: references that no push may make, because a plugin makes them itself. What is there already can be
 * moved and deleted.
 */
export interface ReservedRefs {
  readonly key: string;
  /** For instance `refs/queue/`. */
  readonly prefix: string;
}
export const reservedRefs = definePoint.keyed<ReservedRefs>('git.reservedRefs');

/** Extension point: lines shown in the pusher's terminal after a push (`remote: Create a pull request …`). */
export interface PushHint {
  readonly key: string;
  readonly order?: number;
  lines(change: RefChange): Promise<readonly string[]>;
}
export const pushHints = definePoint.keyed<PushHint>('git.pushHints');

export interface RefsUpdated {
  readonly repositoryId: number;
  readonly kind: RepositoryKind;
  readonly updates: readonly RefUpdate[];
  readonly pusherId: number;
  readonly pusherName: string;
  readonly pushOptions: Readonly<Record<string, string>>;
  readonly source: UpdateSource;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** The repository had no branch before. */
  readonly wasEmpty: boolean;
  /** Branches that there are now. */
  readonly branchCount: number;
  /** HEAD was moved to this branch, because it named none that exists and the repository was empty. */
  readonly defaultBranch?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
}
/** References have moved. Emitted once for each change, also after a kill between git and the database. */
export const refsUpdated = defineEvent<RefsUpdated>('git.refsUpdated');

export interface UpdateRequest {
  readonly repositoryId: number;
  readonly kind?: RepositoryKind;
  /** All or nothing. `old` must be what the reference holds now (zeros: must not exist). */
  readonly updates: readonly RefUpdate[];
  readonly pusher: Actor;
  readonly source: UpdateSource;
  readonly pushOptions?: Readonly<Record<string, string>>;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Leave out the checks (mirrors, undoing); default false. */
  readonly skipChecks?: boolean;
  /** More writes in the transaction of the event (only SQL). */
  within?(): Promise<void>;
}

/** The answer of a transport's hook. */
export interface PushSession {
  readonly environment: Readonly<Record<string, string>>;
  /** File descriptors 3 (up) and 4 (down) of the git process. */
  attach(up: Readable, down: Writable): void;
  /** Resolves when git has ended and everything is stored. */
  finish(): Promise<RefsUpdated | undefined>;
}

export interface RefUpdates {
  /**
   * Checks, moves the references atomically, stores the event. Conflict when a reference was not at `old`, or a name
   * clashes. Not inside a transaction.
   */
  apply(request: UpdateRequest): Promise<RefsUpdated>;
  /** For transports: run `git receive-pack` with this session's environment and descriptors. */
  openPush(push: {
    repositoryId: number;
    kind?: RepositoryKind;
    pusher: Actor;
    source: UpdateSource;
    facts?: Readonly<Record<string, unknown>>;
    /** All references that the client names, when they are known beforehand; saves git a question. */
    refs?: readonly string[];
    /** The client wants all or nothing: one bad name then refuses everything. */
    isAtomic?: boolean;
    /** Runs first in the check with the parsed push options (push-to-create); may throw. */
    before?(change: RefChange): Promise<void>;
  }): PushSession;
  /** Completes changes that were interrupted by a kill; done at start and on access too. */
  repair(repositoryId: number, kind?: RepositoryKind): Promise<void>;
}
export const refUpdates = defineService<RefUpdates>('git.refUpdates');

// ---------------------------------------------------------------- writing objects

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
  /** Armoured signature to store as `gpgsig`. */
  readonly signature?: string;
}

export interface MergeResult {
  /** Tree of the merge; undefined when there are conflicts. */
  readonly tree?: string;
  readonly conflicts: readonly string[];
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
  /** Rebases the commits `upstream..head` onto `onto`; gives the new head, or the conflicts. */
  rebase(
    id: number,
    options: { head: string; upstream: string; onto: string; committer?: Signature; kind?: RepositoryKind },
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

/** Is it a name that git takes for a branch or tag (git-check-ref-format)? */
export function isRefName(name: string): boolean {
  if (!name || name === '@' || name.startsWith('-') || name.startsWith('/') || name.endsWith('/') || name.endsWith('.'))
    return false;

  if (/\.\.|@\{|\/\/|[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

/**
 * Why no branch or tag may be made with this full name, which git and people would read as something else; undefined
 * when it may. Those that are there already, from elsewhere or from earlier, can still move and be deleted.
 */
export function unclearName(ref: string): string | undefined {
  const [, what, name = ''] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  if (!what) return undefined;
  const thing = what === 'heads' ? 'branch' : 'tag';
  if (name === 'HEAD' || name === '@') return `no ${thing} can be called ${name}: it stands for the current commit`;
  if (name.startsWith('-')) return `the name of a ${thing} cannot begin with a dash`;
  if (name.startsWith('refs/')) return `the name of a ${thing} cannot begin with refs/`;
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return `the name of a ${thing} cannot look like an object id`;
  return undefined;
}

// ---------------------------------------------------------------- running git

export interface GitStartOptions {
  readonly cwd?: string;
  /** In place of, or besides, what every git process is told. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: three pipes. More of them are for hooks. */
  readonly stdio?: readonly ('pipe' | 'ignore')[];
  /** The process is killed when it is aborted. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** The process is killed when nothing came and went for so long. */
  readonly quietMs?: number;
}

export interface GitRunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard output; `too_large` beyond (in memory 64 MiB unless told). */
  readonly maxBytes?: number;
  /** `unavailable` after that; default: `READ_TIMEOUT` in memory, `WRITE_TIMEOUT` as a stream. */
  readonly timeoutMs?: number;
  /** Exit codes that are answers, not failures (default 0 only). */
  readonly okCodes?: readonly number[];
  readonly signal?: AbortSignal;
  /**
   * For work that visitors can make as hard as they like: bytes of memory and seconds of the processor, behind others'
   * work, and only a few at once (`unavailable` where too many wait).
   */
  readonly bounds?: { readonly memory: number; readonly seconds: number };
}

export interface GitResult {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

export type GitChild = ChildProcessByStdio<Socket & Writable, Socket & Readable, Socket & Readable>;

export interface PorcelainOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** `https`, `http`, `git`, `ssh`, `file`; default: none. */
  readonly protocols?: readonly string[];
  /** For the remote that asks for them; other users of the machine do not see them. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** More variables, for instance `GIT_INDEX_FILE`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs git for every plugin: clean environment, no shell, fixed hooks, restricted protocols, limits on time and output;
 * all processes end with the host. What users named goes behind `--end-of-options` or `--`.
 */
export interface GitProcesses {
  /** What every git process is told; for programs that run git themselves. */
  readonly environment: Readonly<Record<string, string>>;
  /** To the end, with output in memory. Rejects with an error named `GitFailure` when git fails. */
  run(args: readonly string[], options?: GitRunOptions): Promise<GitResult>;
  /** The same, giving the output as text. */
  text(args: readonly string[], options?: GitRunOptions): Promise<string>;
  /** Output as a stream; destroyed with an error when git fails. Destroying it ends the process. */
  stream(args: readonly string[], options?: GitRunOptions): Readable;
  /** A process whose streams the caller connects, for protocols. */
  start(args: readonly string[], options?: GitStartOptions): GitChild;
  /** `simple-git` in a folder, for commands around working copies and maintenance. Its guards are on. */
  porcelain(folder: string, options?: PorcelainOptions): SimpleGit;
}
export const gitProcesses = defineService<GitProcesses>('git.processes');
