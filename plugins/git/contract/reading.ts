/** Reading repositories, from caches or pooled processes. */
import type { Readable } from 'node:stream';
import { defineService } from '@mortise/plugin-sdk';
import type { ObjectFormat, ObjectType, RepositoryKind } from './names.js';

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Milliseconds since 1970 UTC. */
  readonly time: number;
  /** As git writes it, for instance `+0200`. */
  readonly zone: string;
  /**
   * As a commit has it, where it is not written as we would (zones and names that tools of old made); kept in commits that
   * are made anew as long as the rest is what it says.
   */
  readonly line?: string;
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
  /** What the signature covers; set only with `signature`. */
  readonly payload?: string;
  /** The bytes of `payload`, where they are not its UTF-8. */
  readonly payloadBytes?: Buffer;
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
  /** The bytes of `payload`, where they are not its UTF-8. */
  readonly payloadBytes?: Buffer;
}

export interface TreeEntry {
  /** `100644`, `100755`, `120000` (link), `040000` (folder), `160000` (submodule). */
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly oid: string;
  readonly name: string;
  /** The bytes of a name that is not UTF-8; `name` has U+FFFD in place of some. */
  readonly nameBytes?: Buffer;
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

/** Who wrote a file: a tool, or another project. */
export interface FileAttributes {
  readonly generated: boolean;
  readonly vendored: boolean;
}

/** Changes of white space that are passed over: any, of its amount, or at the ends of lines. */
export type IgnoredWhitespace = 'all' | 'change' | 'eol';

export interface ChangeOptions {
  /** Tell renames (default true). */
  readonly renames?: boolean;
  readonly path?: string;
  /** Only these files; one that was renamed is found by both of its paths. */
  readonly paths?: readonly string[];
  /** Count lines too (default true; without it additions and deletions are 0). */
  readonly stats?: boolean;
  /** In the counts. */
  readonly ignoreWhitespace?: IgnoredWhitespace;
}

/** The files of a difference, or some of them where they are very many. */
export interface ChangePage {
  readonly changes: readonly FileChange[];
  /** Number of the first of them among all, from 0. */
  readonly from: number;
  /** Of all files that differ. */
  readonly total: number;
  /** Lines were counted; else additions and deletions are 0. */
  readonly isCounted: boolean;
}

export interface PatchOptions {
  /** `diff`: one unified diff; `patch`: a mail per commit (format-patch). */
  readonly format?: 'diff' | 'patch';
  readonly binary?: boolean;
  readonly context?: number;
  readonly renames?: boolean;
  readonly ignoreWhitespace?: IgnoredWhitespace;
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
  /**
   * All files that differ, with their counts, where they are 3,000 at most; else the thousand that the file number `at`
   * belongs to, without counts, because to count lines git reads every file. Bounded in memory however many differ.
   */
  changePage(from: string | undefined, to: string, at?: number): Promise<ChangePage>;
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
  /** What `.gitattributes` of a commit, and names, say of these files; none where objects are damaged. */
  fileAttributes(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, FileAttributes>>;
  /**
   * Finds `count`, `languages` and the `lastCommits` of the root, and keeps them on the disk, for the first page after a
   * start. Nothing is kept where the disk refuses. For work in the background: reading a page writes nothing.
   */
  prepareHome(commit: string): Promise<void>;
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

/** What is known of programming languages, whatever repository they are used in. */
export interface LanguageColors {
  /** The colour that people know a language by, as CSS has it (`#3178c6`); undefined for one that has none. */
  color(name: string): string | undefined;
  /** The language of a file, by its name without folders: `TypeScript` of `a.ts`. */
  ofFile(name: string): string | undefined;
}
export const languageColors = defineService<LanguageColors>('git.languages');
