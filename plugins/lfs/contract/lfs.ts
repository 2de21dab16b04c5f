/**
 * The contract of `lfs`: what a pointer file is, and how other plugins reach the content that pointers name.
 */
import type { Readable } from 'node:stream';
import { defineJob, defineService, type Actor } from '@mortise/plugin-sdk';

// ---------------------------------------------------------------- pointers

/** What a pointer file says (git-lfs, docs/spec.md). */
export interface LfsPointer {
  /** SHA-256 of the content, 64 lower-case hex digits. */
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

/** Files that are larger are no pointers: they need not be read to find out. */
export const maxPointerSize = 1024;

const versions = new Set(['https://git-lfs.github.com/spec/v1', 'https://hawser.github.com/spec/v1']);

/** Is it the id of an LFS object? */
export const isLfsOid = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
/** Is it the size of an LFS object? */
export const isLfsSize = (size: unknown): size is number => Number.isSafeInteger(size) && (size as number) >= 0;

/** Reads a pointer file; undefined for any other content. */
export function parsePointer(content: Buffer | string): LfsPointer | undefined {
  if (content.length >= maxPointerSize) return undefined;
  const text = typeof content === 'string' ? content : content.toString('latin1');
  if (!text.startsWith('version ')) return undefined;
  const fields = new Map<string, string>();
  for (const line of text.trimEnd().split(/\r?\n/)) {
    const [, key, value] = /^([a-z0-9.-]+) (.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined || fields.has(key)) return undefined;
    fields.set(key, value);
  }
  const oid = /^sha256:([0-9a-f]{64})$/.exec(fields.get('oid') ?? '')?.[1];
  const size = /^(?:0|[1-9]\d{0,15})$/.test(fields.get('size') ?? '') ? Number(fields.get('size')) : undefined;
  if (!versions.has(fields.get('version') ?? '') || !oid || !isLfsSize(size)) return undefined;
  return { oid, size };
}

/** The pointer file of some content, as git-lfs writes it. */
export const formatPointer = ({ oid, size }: LfsPointer): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;

// ---------------------------------------------------------------- objects

/** Commits of a repository, by their ids. */
export interface CommitRange {
  readonly tips: readonly string[];
  /** Commits whose history is left out; default: everything that references of the repository lead to. */
  readonly not?: readonly string[];
  /** Only the files of the tips themselves. */
  readonly withoutHistory?: boolean;
}

export interface LfsObjects {
  /** Switched on by `[server] LFS_START_SERVER`. */
  readonly enabled: boolean;
  /** Which of these the repository has; sizes by id. One batch of queries however many. */
  find(repositoryId: number, oids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The content of an object of this repository; undefined when it has none. `end` is inclusive. */
  open(
    repositoryId: number,
    oid: string,
    range?: { readonly start: number; readonly end?: number },
  ): Promise<{ readonly size: number; readonly stream: Readable } | undefined>;
  /** An address from which the store itself serves it (`SERVE_DIRECT`); undefined otherwise. */
  directUrl(repositoryId: number, oid: string, options?: { fileName?: string }): Promise<string | undefined>;
  /** Takes content in for a repository: the editor of a file that `.gitattributes` gives to LFS. */
  receive(repositoryId: number, pointer: LfsPointer, content: Readable): Promise<void>;
  /** Bytes of all objects of each repository; those without any are left out. */
  sizes(repositoryIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /**
   * Gives `to` the objects of `from` that pointers of some commits name; the commits are in `to` already. Gives how many
   * were not there before. `gitStore.fetchObjects` calls it for whatever it brings; rights are the caller's business.
   */
  share(from: number, to: number, commits: CommitRange): Promise<number>;
  /**
   * What pointers of some commits name and the repository has not: for plugins that bring commits from elsewhere, which
   * take the content in with {@link receive} before a reference leads to the commits.
   */
  missing(repositoryId: number, commits: CommitRange): AsyncIterable<LfsPointer>;
  /** What pointers of some commits name and the repository has: for plugins that send commits elsewhere. */
  present(repositoryId: number, commits: CommitRange): AsyncIterable<LfsPointer>;
}
export const lfsObjects = defineService<LfsObjects>('lfs.objects');

// ---------------------------------------------------------------- locks

export interface LfsLock {
  readonly id: number;
  readonly repositoryId: number;
  readonly path: string;
  readonly ownerId: number;
  /** Milliseconds since 1970 UTC. */
  readonly lockedAt: number;
}

export interface LfsLocks {
  /** Locks on these paths that belong to somebody else, for editors. One query. */
  foreign(repositoryId: number, paths: readonly string[], actor: Actor): Promise<readonly LfsLock[]>;
}
export const lfsLocks = defineService<LfsLocks>('lfs.locks');

// ---------------------------------------------------------------- work in the background

/** Removes content that no repository has any more, and (with `[cron.gc_lfs] ENABLED`) objects without a pointer. */
export const collectLfsGarbage = defineJob<Record<string, never>>('lfs.collectGarbage');
