import { defineService } from '@mortise/plugin-sdk';
import type { Issue, ImportedReaction, OriginalAuthor } from '@mortise/issues/api';
import type { CommentPosition, Verdict } from './reviews.js';

/** Times are milliseconds since 1970 UTC. */
export interface ImportedReviewComment extends OriginalAuthor, CommentPosition {
  readonly authorId: number;
  readonly body: string;
  /** Place in the list of the comment that it answers; absent: it begins a conversation. */
  readonly replyTo?: number;
  readonly isOutdated: boolean;
  readonly hunk: string;
  /** Who settled the conversation; 0: nobody. */
  readonly resolverId: number;
  readonly reactions: readonly ImportedReaction[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ImportedReview extends OriginalAuthor {
  readonly issue: Pick<Issue, 'id' | 'repositoryId'>;
  readonly state: Verdict;
  readonly reviewerId: number;
  readonly body: string;
  /** Empty: not known. */
  readonly commitId: string;
  /** Number of the version of the pull request that it is about; 0: none that is known. */
  readonly version: number;
  readonly mergeBase: string;
  readonly isDismissed: boolean;
  readonly comments: readonly ImportedReviewComment[];
  readonly createdAt: number;
}

/**
 * Writes reviews of another service as they were there. They count for no rule of a branch, nobody is notified, and all
 * runs in the caller's transaction. Gives the ids of the reviews.
 */
export interface ReviewImports {
  reviews(reviews: readonly ImportedReview[]): Promise<number[]>;
}
export const reviewImports = defineService<ReviewImports>('reviews.imports');
