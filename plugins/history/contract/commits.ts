import type { VNode } from 'preact';
import { definePoint, defineService, type Actor, type Keyed, type Slot } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit, GitRepository } from '@mortise/git/api';
import type { Repository, RepositoryContext, RepositoryPageContext } from '@mortise/repositories/api';
import type { RevisionView } from './pages.js';

export interface CommitFields {
  readonly stat?: boolean;
  readonly files?: boolean;
  readonly verification?: boolean;
}

/** Commits as the REST surface shows them. */
export interface CommitModels {
  /**
   * Model `Commit` for each; one batch of look-ups however many. `git`: where their files are read, when it is not the
   * repository alone.
   */
  commits(
    repository: Repository,
    commits: readonly Commit[],
    actor: Actor,
    deps?: CommitFields,
    git?: GitRepository,
  ): Promise<Record<string, unknown>[]>;
  /** Model `PayloadCommit` of each, as branches show their heads. */
  payloads(repository: Repository, commits: readonly Commit[]): Promise<(Record<string, unknown> & { id: string })[]>;
  /** Model `FileCommitResponse`: the commit part of an answer about a written file. */
  fileCommit(repository: Repository, commit: Commit): Record<string, unknown>;
}
export const commitModels = defineService<CommitModels>('history.commitModels');

/** Commits as pages show them. */
export interface CommitViews {
  /** Accounts of authors and committers, keyed by lower-case address. */
  authors(commits: readonly Commit[]): Promise<Map<string, Account>>;
  /** Address of the avatar of an account. */
  avatarUrl(account: Account): string;
  /** Badges of each commit that has any, by object id, in the order of their sources. */
  badges(context: RepositoryContext, oids: readonly string[]): Promise<ReadonlyMap<string, readonly VNode[]>>;
  /**
   * Commits one below the other, with people, signatures and badges; `isHistory`: below their days, with the branches and
   * tags that point at them.
   */
  list(view: RevisionView, commits: readonly Commit[], options?: { readonly isHistory?: boolean }): Promise<VNode>;
}
export const commitViews = defineService<CommitViews>('history.commitViews');

/** Extension point: a badge beside each commit in lists and headers, for instance the state of its checks. */
export interface CommitBadges extends Keyed {
  readonly order?: number;
  /** Badges by object id; commits without one are left out. One batch of queries however many. */
  badges(context: RepositoryContext, oids: readonly string[]): Promise<ReadonlyMap<string, VNode>>;
}
export const commitBadges = definePoint.keyed<CommitBadges>('history.commitBadges', {
  fallback: { badges: new Map() },
});

/** Two points that a page compares. */
export interface ComparePageContext extends RepositoryPageContext {
  readonly base: { readonly name: string; readonly commit: string };
  /** `repositoryId` differs from the page's own where a fork is compared. */
  readonly head: { readonly name: string; readonly commit: string; readonly repositoryId: number };
  readonly mergeBase: string | undefined;
  readonly commitCount: number;
}
/** What can be done with a comparison, for instance a button that opens a pull request. */
export const compareActions = definePoint.keyed<Slot<ComparePageContext>>('history.compareActions');

/** A commit that a page shows. */
export interface CommitPageContext extends RepositoryPageContext {
  readonly commit: Commit;
  /** Address of the repository's page. */
  readonly repositoryPath: string;
}
/** What can be done with a commit, for instance revert it, or make a branch that begins there. */
export const commitActions = definePoint.keyed<Slot<CommitPageContext>>('history.commitActions');
