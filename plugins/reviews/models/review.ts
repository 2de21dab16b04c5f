import { BaseModel } from '@mortise/plugin-sdk';
import type { Review, ReviewState } from '../contract/reviews.js';

export class ReviewRow extends BaseModel {
  static override tableName = 'review';
  static override booleans = ['is_official', 'is_stale', 'is_dismissed'];
  declare id: number;
  declare issue_id: number;
  declare repository_id: number;
  declare state: ReviewState;
  declare reviewer_id: number;
  declare team_id: number;
  declare body: string;
  declare commit_id: string;
  declare version: number;
  declare is_official: boolean;
  declare is_stale: boolean;
  declare is_dismissed: boolean;
  declare merge_base: string;
  declare seen_head: string;
  declare entry_id: number;
  declare once_key: string | null;
  declare created_at: number;
  declare updated_at: number;
}

export const toReview = (row: ReviewRow): Review => ({
  id: row.id,
  issueId: row.issue_id,
  repositoryId: row.repository_id,
  state: row.state,
  reviewerId: row.reviewer_id,
  teamId: row.team_id,
  body: row.body,
  commitId: row.commit_id,
  version: row.version,
  isOfficial: row.is_official,
  isStale: row.is_stale,
  isDismissed: row.is_dismissed,
  mergeBase: row.merge_base,
  seenHead: row.seen_head,
  entryId: row.entry_id,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
