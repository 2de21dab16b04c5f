/** Records of `reviews/N.yml`. */
import { Joi } from '@mortise/plugin-sdk';
import type { SourceReview, SourceReviewComment } from '../contract/records.js';
import {
  flag,
  id,
  posterKeys,
  posterOf,
  reactionsOfRecord,
  reactionsSchema,
  reactionsToRecord,
  text,
  time,
  timeIn,
  timeOut,
  userOfPoster,
  type Poster,
  type ReactionRecords,
} from './records.js';

interface ReviewCommentRecord extends Poster {
  readonly id?: number | null;
  readonly in_reply_to?: number | null;
  readonly content?: string | null;
  readonly tree_path: string;
  readonly diff_hunk?: string | null;
  /** Place in the hunk, at some services. */
  readonly position?: number | null;
  /** Lines of the old file are below 0. */
  readonly line?: number | null;
  readonly commit_id?: string | null;
  readonly reactions?: ReactionRecords;
  readonly created_at?: string | null;
  readonly updated_at?: string | null;
  /** Ours. */
  readonly start_line?: number | null;
  readonly resolved?: boolean | null;
}
interface ReviewRecord {
  readonly id?: number | null;
  readonly issue_index: number;
  readonly reviewer_id?: number | null;
  readonly reviewer_name?: string | null;
  readonly official?: boolean | null;
  readonly commit_id?: string | null;
  readonly content?: string | null;
  readonly created_at?: string | null;
  readonly state: string;
  readonly comments?: readonly ReviewCommentRecord[] | null;
  /** Ours. */
  readonly dismissed?: boolean | null;
}

const whole = Joi.number().integer().allow(null);
export const reviewSchema = Joi.object<ReviewRecord>({
  id,
  issue_index: Joi.number().integer().min(1).required(),
  reviewer_id: id,
  reviewer_name: text,
  official: flag,
  commit_id: text,
  content: text,
  created_at: time,
  state: Joi.string().required(),
  dismissed: flag,
  comments: Joi.array()
    .items(
      Joi.object<ReviewCommentRecord>({
        ...posterKeys,
        id,
        in_reply_to: id,
        content: text,
        tree_path: Joi.string().required(),
        diff_hunk: text,
        position: whole,
        line: whole,
        start_line: whole,
        commit_id: text,
        reactions: reactionsSchema,
        created_at: time,
        updated_at: time,
        resolved: flag,
      }),
    )
    .allow(null),
});

const states = { approved: 'APPROVED', rejected: 'REQUEST_CHANGES', comment: 'COMMENT' } as const;
const stateOf = (name: string): SourceReview['state'] | undefined =>
  (Object.keys(states) as SourceReview['state'][]).find((state) => states[state] === name);

/** `number`: of the review in its file; those of its comments follow from it. */
export function reviewToRecord(review: SourceReview, number: number): ReviewRecord {
  const numbers = new Map(review.comments.map((comment, at) => [comment.id, number * 10_000 + at + 1]));
  return {
    id: number,
    issue_index: review.pull,
    reviewer_id: review.author.id ?? 0,
    reviewer_name: review.author.name,
    official: false,
    commit_id: review.commit,
    content: review.body,
    created_at: timeOut(review.createdAt),
    state: states[review.state],
    comments: review.comments.map((comment) => commentToRecord(comment, numbers)),
    ...(review.isDismissed && { dismissed: true }),
  };
}

function commentToRecord(comment: SourceReviewComment, numbers: ReadonlyMap<string, number>): ReviewCommentRecord {
  const sign = comment.side === 'old' ? -1 : 1;
  return {
    id: numbers.get(comment.id)!,
    in_reply_to: numbers.get(comment.replyTo ?? '') ?? 0,
    ...posterOf(comment.author),
    content: comment.body,
    tree_path: comment.path,
    diff_hunk: comment.hunk ?? '',
    position: 0,
    line: sign * comment.line,
    commit_id: comment.commit ?? '',
    reactions: reactionsToRecord(comment.reactions),
    created_at: timeOut(comment.createdAt),
    updated_at: timeOut(comment.updatedAt),
    ...(comment.startLine && { start_line: comment.startLine }),
    ...(comment.isResolved && { resolved: true }),
  };
}

/** Undefined for what nobody has sent yet, and for requests. */
export function reviewOfRecord(record: ReviewRecord, number: number): SourceReview | undefined {
  const state = stateOf(record.state);
  if (!state) return undefined;
  const reviewer = { id: record.reviewer_id ?? 0, name: record.reviewer_name || 'Ghost' };
  return {
    id: `${record.issue_index}-${number}`,
    pull: record.issue_index,
    state,
    author: reviewer,
    body: record.content ?? '',
    commit: record.commit_id ?? '',
    isDismissed: record.dismissed === true,
    comments: (record.comments ?? []).map((comment, at) => {
      const line = comment.line || comment.position || 0;
      return {
        id: comment.id ? `#${comment.id}` : `${number}-${at}`,
        // other services name only the number of who wrote it
        author: comment.poster_name ? userOfPoster(comment) : reviewer,
        body: comment.content ?? '',
        path: comment.tree_path,
        side: line < 0 ? ('old' as const) : ('new' as const),
        line: Math.abs(line),
        ...(comment.start_line && { startLine: comment.start_line }),
        ...(comment.commit_id && { commit: comment.commit_id }),
        hunk: comment.diff_hunk ?? '',
        ...(comment.in_reply_to && { replyTo: `#${comment.in_reply_to}` }),
        isResolved: comment.resolved === true,
        reactions: reactionsOfRecord(comment.reactions),
        createdAt: timeIn(comment.created_at),
        updatedAt: timeIn(comment.updated_at),
      };
    }),
    createdAt: timeIn(record.created_at),
  };
}
