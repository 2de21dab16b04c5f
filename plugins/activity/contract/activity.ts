/**
 * The public contract of `activity`: what happened, to whom it is told, and how other plugins record what they do.
 * Types, references and points; no behaviour.
 */
import { definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';

/** `op_type` of the model `Activity`. */
export const activityKinds = [
  'create_repo',
  'rename_repo',
  'star_repo',
  'watch_repo',
  'commit_repo',
  'create_issue',
  'create_pull_request',
  'transfer_repo',
  'push_tag',
  'comment_issue',
  'merge_pull_request',
  'close_issue',
  'reopen_issue',
  'close_pull_request',
  'reopen_pull_request',
  'delete_tag',
  'delete_branch',
  'mirror_sync_push',
  'mirror_sync_create',
  'mirror_sync_delete',
  'approve_pull_request',
  'reject_pull_request',
  'comment_pull',
  'publish_release',
  'pull_review_dismissed',
  'pull_request_ready_for_review',
  'auto_merge_pull_request',
  'create_project',
  'close_project',
  'reopen_project',
  'delete_project',
] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** What one push brought, where pages tell of it in one entry. */
export interface PushSummary {
  /** Branches and tags that were made or moved. */
  readonly branches: number;
  readonly tags: number;
  readonly deletedBranches: number;
  readonly deletedTags: number;
  /** The one branch was not there before. */
  readonly isNew: boolean;
}

/** Something that an account did in a repository, or with what an account owns without one. */
export interface NewActivity {
  readonly actorId: number;
  readonly kind: ActivityKind;
  /** The repository in which it happened; absent or 0: none, it is about what `ownerId` owns. */
  readonly repositoryId?: number;
  /** Where there is no repository: the account to whose feed it belongs, as far as {@link accountActivityAccess} lets it be read. */
  readonly ownerId?: number;
  /** Full reference, for instance `refs/heads/main`. */
  readonly ref?: string;
  /** As the REST surface has it: `1|title` for issues, pulls and projects, JSON for pushes, the title of a release. */
  readonly content?: string;
  /** The comment that says more; shown by {@link activityComments}. */
  readonly commentId?: number;
  /** Milliseconds since 1970 UTC; default now. */
  readonly at?: number;
  /** A second record with the same key is not stored: for subscribers that may run twice. At most 191 characters. */
  readonly onceKey?: string;
  /** All of the push that this entry tells of. */
  readonly push?: PushSummary;
  /** Another entry tells of it on pages, for instance of the push: listed by the REST surface only, and no contribution. */
  readonly isPart?: boolean;
}

export interface Activity {
  readonly id: number;
  readonly actorId: number;
  readonly kind: ActivityKind;
  /** 0: it is about what `ownerId` owns. */
  readonly repositoryId: number;
  /** The account that it is about, where there is no repository; else 0. */
  readonly ownerId: number;
  readonly ref: string;
  readonly content: string;
  readonly commentId: number;
  readonly isPrivate: boolean;
  readonly createdAt: number;
  /** In whose feed the entry was found; 0: in none's, for feeds of repositories. */
  readonly receiverId: number;
  readonly push?: PushSummary;
}

/** What a feed is about: an account, or a repository that the caller has found readable. */
export interface ActivitySearch {
  /** What this account did, and what happened in repositories that it owns or watched then. */
  readonly userId?: number;
  readonly repositoryId?: number;
  /** With `userId`, only repositories that stand so to a team or an account, by the key of a `repositoryRelations`. */
  readonly related?: { readonly relation: string; readonly id: number };
  /** Only what the account itself did. */
  readonly onlyPerformedBy?: boolean;
  /** Without entries of which another one tells: a push is one entry. */
  readonly withoutParts?: boolean;
  /** `2026-03-01`, a day in UTC. */
  readonly date?: string;
  readonly limit: number;
  readonly offset: number;
}

/** Extension of the model: `comment` of entries with a `commentId`. */
export interface ActivityComments extends Keyed {
  /** Model `Comment` by id; one batch of queries however many. */
  comments(ids: readonly number[], actor: Actor): Promise<ReadonlyMap<number, Record<string, unknown>>>;
}
export const activityComments = definePoint.keyed<ActivityComments>('activity.comments');

/** Who may read entries that belong to no repository, such as those of the project boards of an organization. */
export interface AccountActivityAccess {
  /** Of these accounts, those whose entries the actor may read. One batch of queries however many. */
  readable(ownerIds: readonly number[], actor: Actor): Promise<ReadonlySet<number>>;
}
/** Extension point: brought by the plugin that records such entries. Without it they are shown to nobody. */
export const accountActivityAccess = definePoint.one<AccountActivityAccess>('activity.accountAccess');

export interface Activities {
  /**
   * Stores what happened and puts it into the feeds of the actor, the owner and the watchers; joins the caller's
   * transaction. Only SQL inside, so it may run again.
   */
  record(activity: NewActivity): Promise<void>;
  /** Newest first, only what `actor` may see, filtered in SQL. */
  search(search: ActivitySearch, actor: Actor): Promise<{ items: Activity[]; total: number }>;
  /** Contributions by the quarter of an hour (seconds since 1970 UTC) of the last year, oldest first. */
  heatmap(userId: number, actor: Actor): Promise<readonly { timestamp: number; contributions: number }[]>;
  /** Model `Activity` for each; one batch of queries however many. */
  toApi(activities: readonly Activity[], actor: Actor): Promise<Record<string, unknown>[]>;
}
export const activities = defineService<Activities>('activity.activities');
