import { BaseModel } from '@mortise/plugin-sdk';
import type { LineSide, ReviewComment } from '../contract/reviews.js';

export class ReviewCommentRow extends BaseModel {
  static override tableName = 'review_comment';
  static override idColumn = 'entry_id';
  static override booleans = ['is_outdated'];
  declare entry_id: number;
  declare review_id: number;
  declare issue_id: number;
  declare author_id: number;
  declare original_author: string;
  declare thread_id: number;
  declare body: string;
  declare side: LineSide;
  declare path: string;
  declare line: number;
  declare start_line: number;
  declare commit_id: string;
  declare original_path: string;
  declare original_line: number;
  declare original_start_line: number;
  declare original_commit_id: string;
  declare is_outdated: boolean;
  declare hunk: string;
  declare resolver_id: number;
  declare created_at: number;
  declare updated_at: number;
}

export const toComment = (row: ReviewCommentRow): ReviewComment => ({
  id: row.entry_id,
  reviewId: row.review_id,
  issueId: row.issue_id,
  authorId: row.author_id,
  originalAuthor: row.original_author,
  threadId: row.thread_id,
  body: row.body,
  path: row.path,
  side: row.side,
  line: row.line,
  startLine: row.start_line,
  commitId: row.commit_id,
  original: {
    path: row.original_path,
    side: row.side,
    line: row.original_line,
    startLine: row.original_start_line,
    commitId: row.original_commit_id,
  },
  isOutdated: row.is_outdated,
  hunk: row.hunk,
  resolverId: row.resolver_id,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
