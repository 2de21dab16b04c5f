import { defineEvent, defineService, type Actor } from '@mortise/plugin-sdk';
import type { PullContext } from '@mortise/pulls/api';
import type { ApiReview, ApiReviewComment } from './models.js';

/** What a review says; a `pending` one is seen by its writer alone, a `request` waits for one. */
export type ReviewState = 'pending' | 'approved' | 'rejected' | 'comment' | 'request';
/** Those that somebody has sent. */
export type Verdict = Extract<ReviewState, 'approved' | 'rejected' | 'comment'>;

/** One row of `review`. Times are milliseconds since 1970 UTC. */
export interface Review {
  readonly id: number;
  readonly issueId: number;
  readonly repositoryId: number;
  readonly state: ReviewState;
  /** 0: a team is asked. */
  readonly reviewerId: number;
  /** Of a request to a team; 0: a person is asked. */
  readonly teamId: number;
  /** Markdown. */
  readonly body: string;
  /** The head that it is about; empty for requests. */
  readonly commitId: string;
  /** Number of the version of the pull request that was looked at. */
  readonly version: number;
  /** By the rules of the base branch at that time it counts. */
  readonly isOfficial: boolean;
  /** What the pull request changes is not what was reviewed any more. */
  readonly isStale: boolean;
  /** The head that `isStale` is known for. */
  readonly seenHead: string;
  /** Where head and base parted when it was written; empty: as the version of the head says. */
  readonly mergeBase: string;
  readonly isDismissed: boolean;
  /** Entry of the timeline; 0: none. */
  readonly entryId: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Lines of the new file, or of the old one. */
export type LineSide = 'new' | 'old';

/** Where a comment stands. */
export interface CommentPosition {
  readonly path: string;
  readonly side: LineSide;
  /** From 1; of several lines the last. */
  readonly line: number;
  /** First of several lines; 0: one line only. */
  readonly startLine: number;
  /** Where lines are counted: a head, or for the old file where the two sides parted. */
  readonly commitId: string;
}

/** A comment on a line of a pull request. Times are milliseconds since 1970 UTC. */
export interface ReviewComment extends CommentPosition {
  /** Of the entry of the timeline; comments of issues and these never share a number. */
  readonly id: number;
  readonly reviewId: number;
  readonly issueId: number;
  readonly authorId: number;
  /** Who wrote it where it was imported from; empty: the author did. */
  readonly originalAuthor: string;
  /** The comment that this one answers; its own id: it begins a conversation. */
  readonly threadId: number;
  /** Markdown. */
  readonly body: string;
  /** Where it was written. */
  readonly original: CommentPosition;
  /** Its line has changed since. */
  readonly isOutdated: boolean;
  /** Part of a unified diff that ends with its line. */
  readonly hunk: string;
  /** Who settled the conversation; 0: nobody. Of the comment that begins it. */
  readonly resolverId: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewReviewComment {
  readonly path: string;
  readonly side: LineSide;
  readonly line: number;
  readonly startLine?: number;
  readonly body: string;
}

export interface NewReview {
  /** `pending`: kept for later. */
  readonly state: Verdict | 'pending';
  readonly body?: string;
  /** What was looked at; default: the head. */
  readonly commitId?: string;
  readonly comments?: readonly NewReviewComment[];
}

/** Where reviewers stand, for the merge box. */
export interface ReviewSummary {
  /** The latest opinion of each person that still stands. */
  readonly opinions: readonly Review[];
  /** Those who are still waited for. */
  readonly requests: readonly Review[];
}

export interface ApplySuggestions {
  /** Comments that each hold one suggestion, all on lines of the head. */
  readonly commentIds: readonly number[];
  /** Default: a line that says so. */
  readonly message?: string;
  /** The conversations are settled with the commit: both or neither, also after a kill. Default false. */
  readonly resolves?: boolean;
}

export interface Reviews {
  byId(id: number): Promise<Review | undefined>;
  /** Those that the actor may see, oldest first: pending ones are their writer's. */
  list(
    issueId: number,
    actor: Actor,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ items: Review[]; total: number }>;
  summary(issueIds: readonly number[]): Promise<ReadonlyMap<number, ReviewSummary>>;
  /** Comments on lines of a pull request that the actor may see, oldest first; at most 5,000. */
  comments(issueId: number, actor: Actor): Promise<ReviewComment[]>;
  /**
   * Writes a review, or sends the pending one of the actor. Invalid for an opinion about one's own pull request or about a
   * closed one, for one without words that needs them, and for lines that are not there. Without asking for rights.
   */
  submit(context: PullContext, review: NewReview, actor: Actor): Promise<Review>;
  /** Answers a comment. */
  reply(context: PullContext, to: ReviewComment, body: string, actor: Actor): Promise<ReviewComment>;
  resolve(context: PullContext, comment: ReviewComment, isResolved: boolean, actor: Actor): Promise<void>;
  /**
   * Commits suggestions to the head branch, for who may push to it; gives the commit. Invalid for comments without a
   * suggestion, on lines that have changed, or that overlap. Not inside a transaction.
   */
  applySuggestions(context: PullContext, input: ApplySuggestions, actor: Actor): Promise<string>;
  /** Models, in the same order; one batch of queries however many. */
  toApi(reviews: readonly Review[], actor: Actor): Promise<ApiReview[]>;
  commentsToApi(comments: readonly ReviewComment[], actor: Actor): Promise<ApiReviewComment[]>;
}
export const reviews = defineService<Reviews>('reviews.reviews');

type ReviewAction =
  | 'submitted'
  | 'dismissed'
  | 'undismissed'
  | 'deleted'
  | 'requested'
  | 'unrequested'
  | 'replied'
  | 'resolved'
  | 'unresolved'
  | 'comment_edited'
  | 'comment_deleted';

export interface ReviewEvent {
  readonly repositoryId: number;
  readonly issueId: number;
  readonly index: number;
  readonly action: ReviewAction;
  readonly actorId: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** 0: of the action `unrequested`. */
  readonly reviewId: number;
  readonly state: ReviewState;
  readonly body: string;
  /** Who reviewed, or who is asked; 0: a team is. */
  readonly reviewerId: number;
  readonly teamId: number;
  /** Entry of the timeline; 0: none. */
  readonly entryId: number;
  /** Of `submitted`, `replied` and `comment_edited`: whom its texts mention. */
  readonly mentionedIds?: readonly number[];
  /** Comment of `replied`, `resolved`, `unresolved`, `comment_edited` and `comment_deleted`. */
  readonly commentId?: number;
  /** Of `comment_edited`: the text before. */
  readonly before?: string;
  /** Of `comment_edited` and `comment_deleted`: the model `Comment`, of a deleted one as it was. */
  readonly record?: Readonly<Record<string, unknown>>;
}
/** Something happened to a review, or to a request for one. Subscribe `within` for what must be there with it. */
export const reviewChanged = defineEvent<ReviewEvent>('reviews.changed');
