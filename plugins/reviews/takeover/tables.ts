import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import type { ReviewState } from '../contract/reviews.js';
import { ReviewRow } from '../models/review.js';
import { pendingKey, requestKey } from '../services/review-reader.js';
import { reviewComments } from './comments.js';
import { viewedFiles, type ViewedFileDeps } from './viewed-files.js';

const maxOid = 64;
/** What `comment.type` is of a review in the conversation. */
const reviewEntry = 22;
/** By `review.type`. */
const states: readonly ReviewState[] = ['pending', 'approved', 'comment', 'rejected', 'request'];

function onceKeyOf(row: SourceRow, state: ReviewState): string | null {
  const [issueId, userId] = [row.number('issue_id'), row.number('reviewer_id')];
  if (state === 'pending') return pendingKey(issueId, userId);
  return state === 'request' ? requestKey(issueId, { userId, teamId: row.number('reviewer_team_id') }) : null;
}

const reviews: TableMapping = {
  id: 'reviews.reviews',
  table: 'review',
  idTable: ReviewRow,
  derived: ['seen_head', 'version'],
  after: ['pulls.pulls'],
  references: {
    issue_id: 'issues.issues',
    repository_id: 'repositories.repositories',
    reviewer_id: { to: 'accounts.users', fallback: 0 },
    team_id: { to: 'organizations.teams', fallback: 0 },
  },
  related: {
    issue: { table: 'issue', column: 'id', localColumn: 'issue_id', columns: ['repo_id'] },
    comments: { table: 'comment', column: 'review_id', columns: ['id', 'type'] },
  },
  // in the conversation
  ignored: ['original_author', 'original_author_id'],
  map(row) {
    const state = states[row.number('type')];
    const [issue] = row.related('issue');
    if (!state) return skippedRow(`reviews of type ${row.number('type')} have no counterpart`);
    if (!issue) return skippedRow('it has no pull request');
    return targetRow(ReviewRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      repository_id: issue.number('repo_id'),
      state,
      reviewer_id: row.number('reviewer_id'),
      team_id: row.number('reviewer_team_id'),
      body: row.text('content'),
      commit_id: row.text('commit_id', maxOid),
      merge_base: '',
      version: 0,
      is_official: row.flag('official'),
      is_stale: row.flag('stale'),
      is_dismissed: row.flag('dismissed'),
      // what the other server says of it holds until the head moves
      seen_head: '',
      entry_id:
        row
          .related('comments')
          .find((comment) => comment.number('type') === reviewEntry)
          ?.number('id') ?? 0,
      once_key: onceKeyOf(row, state),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix') || row.time('created_unix'),
    });
  },
};

export const tables = (deps: ViewedFileDeps): readonly TableMapping[] => [reviews, reviewComments, viewedFiles(deps)];
