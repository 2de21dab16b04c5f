import type { QueryBuilder } from 'objection';
import {
  defineEvent,
  defineResource,
  defineService,
  type Actor,
  type Model,
  type ResourceResolver,
} from '@mortise/plugin-sdk';
import type { AccessMode, Repository, RepositoryContext } from '@mortise/repositories/api';
import type { FieldValues } from '../fields/values.js';
import type { Label } from './labels.js';
import type { Milestone } from './milestones.js';
import type { ApiIssue } from './models.js';

/** One row of `issue`: an issue, or what a pull request has in common with one. Times are milliseconds since 1970 UTC. */
export interface Issue extends FieldValues {
  readonly id: number;
  readonly repositoryId: number;
  /** Number within the repository, from 1; issues and pull requests share the row of numbers. */
  readonly index: number;
  readonly isPull: boolean;
  readonly posterId: number;
  /** Who wrote it where it was imported from; empty: the poster did. */
  readonly originalAuthor: string;
  /** Number of that account there; 0: not known. */
  readonly originalAuthorId: number;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly isClosed: boolean;
  readonly isLocked: boolean;
  /** 0: none. */
  readonly milestoneId: number;
  readonly commentCount: number;
  /** Grows with each change of the body. */
  readonly contentVersion: number;
  /** Place among the pinned ones of its kind, from 1; 0: not pinned. */
  readonly pinOrder: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 0: open. */
  readonly closedAt: number;
}

/** The unit of the repository that one needs a right on. */
export const unitOf = ({ isPull }: Pick<Issue, 'isPull'>): 'issues' | 'pulls' => (isPull ? 'pulls' : 'issues');

/** Those of a kind are told apart by their addresses: `issues/12`, `pulls/13`. */
export const pathOf = ({ isPull, index }: Pick<Issue, 'isPull' | 'index'>): string =>
  `${isPull ? 'pulls' : 'issues'}/${index}`;

/** What routes of an issue or a pull request get as `resource`. */
export interface IssueContext {
  readonly context: RepositoryContext;
  readonly repository: Repository;
  readonly issue: Issue;
  /** The actor's mode on the unit of the issue. */
  readonly mode: AccessMode;
  may(mode: AccessMode): boolean;
}

/**
 * Resolved from `{owner}`, `{repo}` and `{index}`: an issue, or a pull request, whose unit the actor may read. The mode of
 * a route is needed on that unit; 423 where that is `write` and the repository is archived.
 */
export const issueResource = defineResource<IssueContext>('issues.issue');

/** {@link issueResource}, for resources of plugins that are issues and more. */
export const issueResolver = defineService<ResourceResolver<IssueContext>>('issues.resolver');

export interface NewIssue extends Partial<FieldValues> {
  readonly title: string;
  readonly body?: string;
  readonly isPull?: boolean;
  readonly isClosed?: boolean;
  /** Ids of labels of the repository or its organization; others are passed over. */
  readonly labelIds?: readonly number[];
  /** One of the repository; another is passed over. */
  readonly milestoneId?: number;
  /** Names of accounts that can be assigned; Invalid for others. */
  readonly assignees?: readonly string[];
}

/** What is absent stays; the empty value of a field removes it. */
export interface IssueChanges extends Partial<FieldValues> {
  readonly title?: string;
  readonly body?: string;
  /** The content version that the body was made from; Conflict when it changed since. */
  readonly contentVersion?: number;
  readonly isClosed?: boolean;
  /** What the timeline says of closing it; default: `close`. */
  readonly closing?: {
    readonly kind?: string;
    readonly data?: Readonly<Record<string, unknown>>;
    /** The commit that did it. */
    readonly commit?: string;
    /** It follows from something else, such as a branch that is gone: nothing that is still open keeps it open. */
    readonly isConsequence?: boolean;
  };
  /** 0 removes it; one that is not of the repository is passed over. */
  readonly milestoneId?: number;
  /** Replaces all. */
  readonly assignees?: readonly string[];
  readonly labelIds?: readonly number[];
}

export type IssueSort =
  | 'newest'
  | 'oldest'
  | 'recentupdate'
  | 'leastupdate'
  | 'recentclose'
  | 'mostcomment'
  | 'leastcomment'
  | 'duedate';

/** Every filter narrows; lists of filters mean one of them unless said otherwise. */
export interface IssueSearch {
  readonly repositoryId?: number;
  /** Across repositories: those of these owners. */
  readonly ownerId?: number;
  /** Repositories that stand so to a team or an account, by the key of a `repositoryRelations`. */
  readonly related?: { readonly relation: string; readonly id: number };
  readonly isClosed?: boolean;
  readonly isPull?: boolean;
  /** All of these names, each of which any label of that name satisfies. */
  readonly labels?: readonly string[];
  /** `any`: one of the names is enough. */
  readonly labelsMatch?: 'all' | 'any';
  /** Only these: ids as a subquery of one column, for what plugins know of issues. */
  readonly among?: QueryBuilder<Model>;
  /** Titles, in any case, or ids. */
  readonly milestones?: readonly string[];
  readonly posterId?: number;
  /** 0: nobody. */
  readonly assigneeId?: number;
  readonly mentionedId?: number;
  /** Carry all of these. */
  readonly labelIds?: readonly number[];
  /** Carry none. */
  readonly isUnlabelled?: boolean;
  /** 0: none. */
  readonly milestoneId?: number;
  /** Further filters by key, such as `reviewed`, of the point `issueFilters`. */
  readonly filters?: Readonly<Record<string, number>>;
  /** Of title, body or comments. */
  readonly text?: string;
  /** Changed at or after, at or before. */
  readonly since?: number;
  readonly before?: number;
  readonly sort?: IssueSort;
  readonly limit: number;
  readonly offset: number;
}

/** Who wants to hear what happens to an issue, and who does not. Ids of accounts. */
export interface IssueFollowers {
  /** Who asked for it, opened it, commented on it, was assigned or mentioned. */
  readonly following: readonly number[];
  /** Who said no: they hear nothing of it as watchers of the repository either. */
  readonly silent: readonly number[];
}

/** Issues, and what pull requests have in common with them. */
export interface Issues {
  byId(id: number): Promise<Issue | undefined>;
  byIds(ids: readonly number[]): Promise<Map<number, Issue>>;
  byIndex(repositoryId: number, index: number): Promise<Issue | undefined>;
  /** Of many repositories by one statement, in any order; without those that there are not. */
  byRefs(refs: readonly Pick<Issue, 'repositoryId' | 'index'>[]): Promise<Issue[]>;
  /** Only those that the actor may read, filtered in SQL; default order: newest first. */
  search(search: IssueSearch, actor: Actor): Promise<{ items: Issue[]; total: number }>;
  /** Without asking for rights. Joins the caller's transaction. */
  create(repository: Repository, issue: NewIssue, actor: Actor): Promise<Issue>;
  edit(repository: Repository, issue: Issue, changes: IssueChanges, actor: Actor): Promise<Issue>;
  /** A pull request is merged: closes and reopens what its text says, as far as the actor may. */
  applyCloseReferences(issue: Issue, actor: Actor): Promise<void>;
  /** Model `Issue` for each, in the same order; one batch of queries however many. */
  toApi(issues: readonly Issue[], actor: Actor): Promise<ApiIssue[]>;
  /** Ids of those that the actor may read, as a subquery of one column. */
  readable(actor: Actor): QueryBuilder<Model>;
  labels(issueIds: readonly number[]): Promise<Map<number, Label[]>>;
  assignees(issueIds: readonly number[]): Promise<Map<number, number[]>>;
  milestones(ids: readonly number[]): Promise<Map<number, Milestone>>;
  followers(issue: Issue): Promise<IssueFollowers>;
  /** The same of several, by the id of the issue. */
  followersOf(issues: readonly Issue[]): Promise<Map<number, IssueFollowers>>;
  /** What a person says about hearing of an issue; false: they said so before. */
  subscribe(issue: Issue, userId: number, isSubscribed: boolean): Promise<boolean>;
  /** Pinned issues, or pinned pull requests, in their order. */
  pinned(repositoryId: number, isPull: boolean): Promise<Issue[]>;
  htmlUrl(repository: Repository, issue: Pick<Issue, 'isPull' | 'index'>): string;
  /** References to the issues that a text asks to close, by the words of this site: `#1`, `owner/name#2`. */
  closedBy(text: string): string[];
}
export const issues = defineService<Issues>('issues.issues');

/** Whether labels were put on an issue, or taken off. */
export interface LabelChange {
  readonly added: boolean;
  readonly removed: boolean;
}

/** What happened to an issue or a pull request, as receivers of webhooks call it. */
export type IssueAction =
  | 'opened'
  | 'edited'
  | 'closed'
  | 'reopened'
  | 'deleted'
  | 'assigned'
  | 'unassigned'
  | 'label_updated'
  | 'label_cleared'
  | 'milestoned'
  | 'demilestoned';

export interface IssueEvent {
  readonly repositoryId: number;
  readonly issueId: number;
  readonly index: number;
  readonly isPull: boolean;
  readonly title: string;
  readonly action: IssueAction;
  readonly actorId: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Of `edited`: what it was before. */
  readonly before?: { readonly title?: string; readonly body?: string };
  /** Of `assigned` and `unassigned`. */
  readonly assigneeId?: number;
  /** Of `opened`: who was assigned with it; an event `assigned` of each follows. */
  readonly assigneeIds?: readonly number[];
  /** Of `assigned`: it came with the opening. */
  readonly isOpening?: boolean;
  /** Of `label_updated` and `label_cleared`: what became of its labels; absent: nothing. */
  readonly labels?: LabelChange;
  /** Of `opened` and `edited`: whom the text mentions who were not mentioned in it before. */
  readonly mentionedIds?: readonly number[];
  /** Of `closed` and `reopened`: the commit that did it, where one did. */
  readonly commit?: string;
  /** Of `closed` and `reopened`: the entry of the timeline that tells of it. */
  readonly entryId?: number;
  /** Of `deleted`: the model as it was. */
  readonly record?: Readonly<Record<string, unknown>>;
}
/** Subscribe `within` for what must be there with the change. */
export const issueChanged = defineEvent<IssueEvent>('issues.changed');
/** Something that these issues waited for keeps them open no longer: it was closed, or they wait for it no more. */
export const issuesFreed = defineEvent<{ readonly issueIds: readonly number[] }>('issues.freed');
/**
 * These issues are about to go, one by one; those of a repository that goes are not told of. Subscribe `within`: remove
 * what belongs to them.
 */
export const issuesDeleting = defineEvent<{ readonly repositoryId: number; readonly issueIds: readonly number[] }>(
  'issues.deleting',
);
