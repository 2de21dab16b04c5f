import { defineService } from '@mortise/plugin-sdk';

/** A pull request of another service, whose commits are in the repository already as far as there are any. */
export interface ImportedPull {
  readonly number: number;
  readonly title: string;
  readonly baseBranch: string;
  /** Where the head branch lies; 0: the repository is gone, or is not here. */
  readonly headRepositoryId: number;
  readonly headBranch: string;
  /** Empty or not in the repository: what is known of the merge, or of the base, stands in. */
  readonly headOid: string;
  readonly baseOid: string;
  readonly isClosed: boolean;
  readonly isMerged: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  readonly mergedAt: number;
  readonly mergerId: number;
  readonly mergeCommit: string;
}

/** What git says of an {@link ImportedPull}; opaque. */
export interface PreparedPull {
  readonly number: number;
  readonly row: Readonly<Record<string, unknown>>;
  readonly version: Readonly<Record<string, unknown>>;
  readonly headOid: string;
  readonly mergeBase: string;
}

/**
 * Writes pull requests as they were at another service; their issues are written with `issueImports` in the same
 * transaction. Nobody is notified.
 */
export interface PullImports {
  /** The title of one that is a draft at its source: titles say it here. As it is where this site knows no drafts. */
  draftTitle(title: string): string;
  /**
   * Looks at the commits, and makes `refs/pull/<number>/head` and the reference of the first version, which keep them
   * whatever becomes of the branch or the fork. Done twice is done once. Not inside a transaction.
   */
  prepare(repositoryId: number, pulls: readonly ImportedPull[]): Promise<PreparedPull[]>;
  /** In the caller's transaction; `issueIds` in the order of the pull requests. */
  insert(repositoryId: number, pulls: readonly PreparedPull[], issueIds: readonly number[]): Promise<void>;
  /** After the import: whether the open ones merge is looked at in the background. */
  checkOpen(repositoryId: number): Promise<void>;
}
export const pullImports = defineService<PullImports>('pulls.imports');
