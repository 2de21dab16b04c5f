import type { Database, Jobs } from '@mortise/plugin-sdk';
import type { IssueImports, Timeline } from '@mortise/issues/api';
import type { Pulls } from '@mortise/pulls/api';
import type { ImportedReview, ImportedReviewComment, ReviewImports } from '../api.js';
import { ReviewCommentRow } from '../models/review-comment.js';
import { ReviewRow } from '../models/review.js';
import { followReview } from './review-writer.js';

interface ImportDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly pulls: Pick<Pulls, 'byIssueIds'>;
  readonly timeline: Pick<Timeline, 'record' | 'index'>;
  readonly issueImports: Pick<IssueImports, 'reactions' | 'countComments'>;
}

/** Writes reviews and comments on lines of other services; asks for no rights and notifies nobody. */
export class ReviewImportService implements ReviewImports {
  constructor(private readonly deps: ImportDeps) {}

  reviews: ReviewImports['reviews'] = async (reviews) => {
    const ids: number[] = [];
    const entries: number[] = [];
    const pulls = await this.deps.pulls.byIssueIds([...new Set(reviews.map(({ issue }) => issue.id))]);
    for (const review of reviews) {
      const entryId = await this.#record(review.issue, 'review', review, review.reviewerId, { body: review.body });
      const id = await this.#insertReview(review, entryId);
      if (review.body.trim()) await this.deps.issueImports.countComments(review.issue.id, 1);
      entries.push(entryId, ...(await this.#comments(review, id)));
      ids.push(id);
      // lines of an older head are looked for in the present one
      const pull = pulls.get(review.issue.id);
      if (pull?.isOpen && review.commitId && review.commitId !== pull.headOid)
        await this.deps.jobs.enqueue(followReview, { reviewId: id }, { uniqueKey: `reviews.follow:${id}` });
    }
    await this.deps.timeline.index(entries);
    return ids;
  };

  async #comments({ issue, comments }: ImportedReview, reviewId: number): Promise<number[]> {
    const entries: number[] = [];
    const threads: number[] = [];
    for (const comment of comments) {
      const entryId = await this.#record(issue, 'code', comment, comment.authorId, { subjectId: reviewId });
      const threadId = (comment.replyTo === undefined ? undefined : threads[comment.replyTo]) ?? entryId;
      await this.deps.database.rows.insert(ReviewCommentRow, {
        ...columnsOf(comment),
        entry_id: entryId,
        review_id: reviewId,
        issue_id: issue.id,
        thread_id: threadId,
      });
      await this.deps.issueImports.reactions(issue.id, entryId, comment.reactions, comment.createdAt);
      entries.push(entryId);
      threads.push(threadId);
    }
    return entries;
  }

  async #record(
    issue: ImportedReview['issue'],
    kind: string,
    written: Pick<ImportedReview, 'originalAuthor' | 'originalAuthorId' | 'createdAt'>,
    actorId: number,
    more: { readonly body?: string; readonly subjectId?: number },
  ): Promise<number> {
    const { originalAuthor, originalAuthorId, createdAt: at } = written;
    const entry = { issue, kind, actorId, originalAuthor, originalAuthorId, at, ...more };
    return (await this.deps.timeline.record(entry))!.id;
  }

  #insertReview(review: ImportedReview, entryId: number): Promise<number> {
    return this.deps.database.rows.insert(ReviewRow, {
      issue_id: review.issue.id,
      repository_id: review.issue.repositoryId,
      state: review.state,
      reviewer_id: review.reviewerId,
      team_id: 0,
      body: review.body,
      commit_id: review.commitId,
      merge_base: review.mergeBase,
      version: review.version,
      is_official: false,
      is_stale: false,
      is_dismissed: review.isDismissed,
      seen_head: '',
      entry_id: entryId,
      once_key: null,
      created_at: review.createdAt,
      updated_at: review.createdAt,
    });
  }
}

const columnsOf = (comment: ImportedReviewComment) => ({
  author_id: comment.authorId,
  original_author: comment.originalAuthor,
  body: comment.body,
  side: comment.side,
  path: comment.path,
  line: comment.line,
  start_line: comment.startLine,
  commit_id: comment.commitId,
  original_path: comment.path,
  original_line: comment.line,
  original_start_line: comment.startLine,
  original_commit_id: comment.commitId,
  is_outdated: comment.isOutdated,
  hunk: comment.hunk,
  resolver_id: comment.resolverId,
  created_at: comment.createdAt,
  updated_at: comment.updatedAt,
});
