import { Joi } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';
import { teamSchema, type ApiTeam } from '@mortise/organizations/api';

/** What a review says, as the REST surface names it. */
export type ApiReviewState = 'APPROVED' | 'PENDING' | 'COMMENT' | 'REQUEST_CHANGES' | 'REQUEST_REVIEW';

/** Model `PullReview`. */
export interface ApiReview {
  id: number;
  /** Null: a team is asked. */
  user: ApiUser | null;
  team: ApiTeam | null;
  state: ApiReviewState;
  body: string;
  commit_id: string;
  stale: boolean;
  official: boolean;
  dismissed: boolean;
  comments_count: number;
  submitted_at: string;
  updated_at: string;
  html_url: string;
  pull_request_url: string;
}

/** Model `PullReviewComment`. */
export interface ApiReviewComment {
  id: number;
  body: string;
  user: ApiUser;
  resolver: ApiUser | null;
  pull_request_review_id: number;
  created_at: string;
  updated_at: string;
  path: string;
  commit_id: string;
  original_commit_id: string;
  diff_hunk: string;
  position: number;
  original_position: number;
  html_url: string;
  pull_request_url: string;
}

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();
const time = () => Joi.string().isoDate().required();

export const reviewSchema = Joi.object<ApiReview>({
  id: count(),
  user: userSchema.allow(null).required(),
  team: teamSchema.allow(null).required(),
  state: Joi.string().valid('APPROVED', 'PENDING', 'COMMENT', 'REQUEST_CHANGES', 'REQUEST_REVIEW').required(),
  body: text(),
  commit_id: text(),
  stale: flag().description('What it is about has changed since'),
  official: flag().description('It counts for the rules of the base branch'),
  dismissed: flag(),
  comments_count: count(),
  submitted_at: time(),
  updated_at: time(),
  html_url: text(),
  pull_request_url: Joi.string().required(),
}).label('PullReview');
export const reviewListSchema: Joi.ArraySchema<object[]> = Joi.array().items(reviewSchema).label('PullReviewList');

export const reviewCommentSchema = Joi.object<ApiReviewComment>({
  id: count(),
  body: text(),
  user: userSchema.required(),
  resolver: userSchema.allow(null).required(),
  pull_request_review_id: count(),
  created_at: time(),
  updated_at: time(),
  path: Joi.string().required(),
  commit_id: text().description('Where the position is counted'),
  original_commit_id: text().description('Where it was written; empty while that is the same'),
  diff_hunk: text(),
  position: count().description('Line of the new file; 0: it is on a line of the old one'),
  original_position: count().description('Line of the old file; 0: it is on a line of the new one'),
  html_url: Joi.string().required(),
  pull_request_url: Joi.string().required(),
}).label('PullReviewComment');
export const reviewCommentListSchema: Joi.ArraySchema<object[]> = Joi.array()
  .items(reviewCommentSchema)
  .label('PullReviewCommentList');
