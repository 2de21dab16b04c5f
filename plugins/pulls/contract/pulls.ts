import { defineEvent, defineResource, defineService, type Actor, type Text } from '@mortise/plugin-sdk';
import type { FileChange, GitRepository } from '@mortise/git/api';
import type { FieldValues, Issue, IssueContext } from '@mortise/issues/api';
import type { Repository } from '@mortise/repositories/api';
import type { ApiPullRequest } from './models.js';

/**
 * Whether the head can be merged into the base as they were looked at: `checking` until that is known, `empty` where the
 * head brings nothing, `broken` where a branch is gone or git could not tell.
 */
export type MergeState = 'checking' | 'clean' | 'conflicts' | 'empty' | 'broken';

/** Ways of merging, as the REST surface names them. */
export const mergeStyles = [
  'merge',
  'rebase',
  'rebase-merge',
  'squash',
  'fast-forward-only',
  'manually-merged',
] as const;
export type MergeStyle = (typeof mergeStyles)[number];

/** What a pull request has beyond its issue. Times are milliseconds since 1970 UTC. */
export interface PullRequest {
  /** Of the issue that it is. */
  readonly issueId: number;
  /** The repository that it is to be merged into. */
  readonly repositoryId: number;
  readonly index: number;
  readonly baseBranch: string;
  /** Where the head branch lies; 0: the repository is gone. */
  readonly headRepositoryId: number;
  /** `topic`; of one that was pushed to `refs/for/` the topic, which is no branch. */
  readonly headBranch: string;
  /** Whether the head is a branch, or was pushed to `refs/for/` and has no branch. */
  readonly flow: 'branch' | 'agit';
  /** Account whose topic it is, where it was pushed to `refs/for/`; else 0. */
  readonly topicOwnerId: number;
  /** Tip of the head, as last seen; `refs/pull/<index>/head` in the base repository. */
  readonly headOid: string;
  /** Tip of the base branch that the rest was found with. */
  readonly baseOid: string;
  /** Where both parted; empty: nowhere. */
  readonly mergeBase: string;
  readonly mergeState: MergeState;
  /** Paths that cannot be merged; the first 100. */
  readonly conflicts: readonly string[];
  readonly commitCount: number;
  readonly changedFiles: number;
  readonly additions: number;
  readonly deletions: number;
  /** How often the head has moved, from 1; each is kept as `refs/pull/<index>/versions/<n>`. */
  readonly version: number;
  readonly isOpen: boolean;
  /** Work in progress, as its title says. */
  readonly isDraft: boolean;
  readonly allowMaintainerEdit: boolean;
  readonly isMerged: boolean;
  /** 0: not merged. */
  readonly mergedAt: number;
  readonly mergerId: number;
  readonly mergeCommit: string;
  readonly mergeStyle: MergeStyle | '';
}

/** One state of the head. */
export interface PullVersion {
  readonly number: number;
  readonly headOid: string;
  readonly mergeBase: string;
  /** 0: nobody who is known. */
  readonly pusherId: number;
  readonly isForced: boolean;
  readonly createdAt: number;
}

/** What routes of a pull request get as `resource`. */
export interface PullContext extends IssueContext {
  readonly pull: PullRequest;
}

/** Resolved from `{owner}`, `{repo}` and `{index}`: a pull request whose unit the actor may read; else as its issue. */
export const pullResource = defineResource<PullContext>('pulls.pull');

/** Where what a pull request changes is read. */
export interface PullRange {
  /** The base repository. */
  readonly git: GitRepository;
  /** Its commits are left out; undefined: there is none. */
  readonly base: string | undefined;
  /** Where the difference begins. */
  readonly start: string | undefined;
  readonly head: string;
}

export interface NewPullRequest extends Partial<FieldValues> {
  readonly title: string;
  readonly body?: string;
  readonly baseBranch: string;
  readonly head: {
    readonly repository: Repository;
    readonly branch: string;
    readonly flow: PullRequest['flow'];
    readonly oid: string;
  };
  readonly assignees?: readonly string[];
  readonly labelIds?: readonly number[];
  readonly milestoneId?: number;
  readonly allowMaintainerEdit?: boolean;
  /** By the key of a {@link PullPart}: what else it begins with, such as reviewers. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export interface MergeOptions {
  readonly style: MergeStyle;
  readonly title?: string;
  readonly message?: string;
  /** Conflict when the head is another one by now. */
  readonly headOid?: string;
  /** Of `manually-merged`: the commit on the base branch. */
  readonly mergeCommit?: string;
  /** Though requirements are not met, by those who may. */
  readonly force?: boolean;
  /** Default: as the repository says. */
  readonly deleteBranch?: boolean;
  /** What the base gets is made already, by {@link Pulls.build}; Conflict when the base is not at `onto` any more. */
  readonly prepared?: { readonly onto: string; readonly commit: string };
  /** Codes of requirements that the caller has seen to by itself. */
  readonly allowedBlockers?: readonly string[];
}

/** Why a pull request cannot be merged now. */
export interface MergeBlocker {
  /** For programs: `draft`, `conflicts`, `checks`, `approvals`, … */
  readonly code: string;
  readonly message: Text;
  /** Those who may pass over requirements pass over it. */
  readonly isRequirement: boolean;
  /** It is merged through a queue: the merge box has no button to merge it at once, but to force it. */
  readonly requiresQueue?: boolean;
  /** It is not in the queue yet, and can be added when nothing else is in the way ({@link MergeRequirement.mergeQueue}). */
  readonly canQueueLater?: boolean;
  /** Where something can be done about it. */
  readonly link?: BlockerLink;
}

/** Where something can be done about a {@link MergeBlocker}. */
export interface BlockerLink {
  /** What follows the path of the pull request's page: `/files`, `#issuecomment-7`. */
  readonly path: string;
  readonly label: Text;
}

/** What an approval is about. */
export type ApprovalSubject = Pick<PullContext, 'repository' | 'pull' | 'issue'>;

/** A branch as the head of pull requests. */
export type PullHead = Pick<PullRequest, 'headRepositoryId' | 'headBranch'>;

export interface Pulls {
  byIssueId(issueId: number): Promise<PullRequest | undefined>;
  byIssueIds(issueIds: readonly number[]): Promise<Map<number, PullRequest>>;
  /** Open ones whose head is the branch. */
  openFrom(repositoryId: number, branch: string): Promise<PullRequest[]>;
  /** Open ones whose head is one of the branches, by one statement, newest first. */
  openFromAny(heads: readonly PullHead[]): Promise<PullRequest[]>;
  /** Open ones into the branch. */
  openInto(repositoryId: number, branch: string): Promise<PullRequest[]>;
  /** Without asking for rights; Conflict when there is one between the same branches. Not inside a transaction. */
  create(repository: Repository, input: NewPullRequest, actor: Actor): Promise<{ issue: Issue; pull: PullRequest }>;
  /** Model `PullRequest` for each, in the same order; one batch of queries however many. */
  toApi(issues: readonly Issue[], actor: Actor): Promise<ApiPullRequest[]>;
  /** Where its changes are read: once merged, as it was then. */
  range(pull: PullRequest): Promise<PullRange>;
  /** Which files it changes, without counts of their lines. */
  changes(pull: PullRequest): Promise<readonly FileChange[]>;
  /** Those that were merged as one of these commits of the repository, in the order of their merges. */
  mergedAs(repositoryId: number, commits: readonly string[]): Promise<PullRequest[]>;
  /**
   * By account: when the first pull request that it opened was merged into the repository, in milliseconds since 1970 UTC.
   * Imported ones of other authors do not count.
   */
  firstMerges(repositoryId: number, posterIds: readonly number[]): Promise<Map<number, number>>;
  /** What keeps the actor from merging it; none: it may be merged. */
  blockers(context: PullContext, actor: Actor): Promise<readonly MergeBlocker[]>;
  /** For whoever acts without a request of their own: the pull request as it is, with the actor's rights. */
  contextOf(issueId: number, actor: Actor): Promise<PullContext | undefined>;
  /**
   * The commit that merging it onto this commit gives, without moving anything; asks for no rights. Conflict where the
   * two do not merge. Not of `manually-merged`.
   */
  build(context: PullContext, options: MergeOptions, actor: Actor, onto: string): Promise<string>;
  /**
   * Merges it. Forbidden (405 in the REST surface) when something is in the way, Conflict when the head is another or
   * does not merge. The database knows of the merge when it is done, also after a kill in between.
   */
  merge(context: PullContext, options: MergeOptions, actor: Actor): Promise<PullRequest>;
  versions(pull: PullRequest): Promise<PullVersion[]>;
  /**
   * Of these accounts, those whose approval counts today: they may write the unit (default: `code`), are active, did not
   * open the pull request, and pushed no commit of its head since it was opened. Everything that counts approvals asks
   * this: reviews, code owners, and approvals of workflow runs.
   */
  qualifiedApprovers(subject: ApprovalSubject, userIds: readonly number[], unit?: string): Promise<ReadonlySet<number>>;
  /** Of these accounts, those that are active and may write the unit (default: `code`). */
  activeWriters(
    repository: ApprovalSubject['repository'],
    userIds: readonly number[],
    unit?: string,
  ): Promise<ReadonlySet<number>>;
  /** Were all commits of the head pushed by that account, as far as pushes were recorded? */
  isPushedOnlyBy(pull: PullRequest, userId: number): Promise<boolean>;
}
export const pulls = defineService<Pulls>('pulls.pulls');

type PullAction = 'opened' | 'synchronized' | 'merged' | 'retargeted' | 'checked';

export interface PullEvent {
  readonly repositoryId: number;
  readonly issueId: number;
  readonly index: number;
  readonly action: PullAction;
  readonly actorId: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Of `synchronized`: the heads. */
  readonly before?: string;
  readonly after?: string;
  readonly isForced?: boolean;
  /** Of `retargeted`: the base branch that it had. */
  readonly from?: string;
}
/** What happens to a pull request beside what happens to every issue. Subscribe `within` for what must be there with it. */
export const pullChanged = defineEvent<PullEvent>('pulls.changed');
