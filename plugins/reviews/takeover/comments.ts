import { targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { ReviewCommentRow } from '../models/review-comment.js';

const maxOid = 64;
const maxName = 255;
/** What `comment.type` is of comments on lines. */
const codeComment = 21;

/** Without the names of the files that stand above it there. */
function hunkOf(patch: string): string {
  const at = patch.indexOf('\n@@');
  return at < 0 ? '' : patch.slice(at + 1);
}

/** A conversation is what a review says of one line; its first comment began it. */
function threadOf(row: SourceRow): number {
  const thread = row
    .related('review_comments')
    .filter(
      (other) =>
        other.number('type') === codeComment &&
        other.text('tree_path') === row.text('tree_path') &&
        other.number('line') === row.number('line'),
    );
  return Math.min(row.number('id'), ...thread.map((other) => other.number('id')));
}

/** Lines are counted in the head that was reviewed; what is said of old ones, where it left the base. */
function commitOf(row: SourceRow): string {
  const [review] = row.related('review');
  const [pull] = row.related('pull');
  const commit = row.number('line') < 0 ? pull?.text('merge_base') : review?.text('commit_id');
  return (commit || row.text('commit_sha')).slice(0, maxOid);
}

/** Their entries of the timeline come with the other comments. */
export const reviewComments: TableMapping = {
  id: 'reviews.comments',
  table: 'comment',
  references: {
    entry_id: 'issues.comments',
    issue_id: 'issues.issues',
    review_id: 'reviews.reviews',
    // who has no account any more
    author_id: { to: 'accounts.users', fallback: 0 },
    resolver_id: { to: 'accounts.users', fallback: 0 },
  },
  related: {
    review: { table: 'review', column: 'id', localColumn: 'review_id', columns: ['commit_id'] },
    pull: { table: 'pull_request', column: 'issue_id', localColumn: 'issue_id', columns: ['merge_base'] },
    review_comments: {
      table: 'comment',
      column: 'review_id',
      localColumn: 'review_id',
      columns: ['id', 'type', 'tree_path', 'line'],
    },
  },
  filter: (row) => row.number('type') === codeComment,
  map(row) {
    const side = row.number('line') < 0 ? 'old' : 'new';
    const line = Math.abs(row.number('line'));
    const path = row.text('tree_path');
    return targetRow(ReviewCommentRow, {
      entry_id: row.number('id'),
      review_id: row.number('review_id'),
      issue_id: row.number('issue_id'),
      author_id: row.number('poster_id'),
      original_author: row.text('original_author', maxName),
      thread_id: threadOf(row),
      body: row.text('content'),
      side,
      path,
      line,
      start_line: 0,
      commit_id: commitOf(row),
      original_path: path,
      original_line: line,
      original_start_line: 0,
      original_commit_id: row.text('commit_sha', maxOid),
      is_outdated: row.flag('invalidated'),
      hunk: hunkOf(row.text('patch')),
      resolver_id: row.number('resolve_doer_id'),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix') || row.time('created_unix'),
    });
  },
};
