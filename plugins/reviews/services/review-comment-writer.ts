import { NotFound, type Actor, type Database, type Events } from '@mortise/plugin-sdk';
import type { Issue, Timeline } from '@mortise/issues/api';
import type { PullContext } from '@mortise/pulls/api';
import type { Repositories } from '@mortise/repositories/api';
import { reviewChanged } from '../api.js';
import type { ReviewComment } from '../contract/reviews.js';
import { ReviewCommentRow, toComment } from '../models/review-comment.js';
import { ReviewRow } from '../models/review.js';
import type { LocatedComment } from './diff-position.js';
import type { ReviewReader } from './review-reader.js';
import { eventOf } from './review-requests.js';

/** Writes comments on lines. Asks for no rights. */
export class ReviewCommentWriter {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly timeline: Timeline;
      readonly repositories: Repositories;
      readonly reader: ReviewReader;
    },
  ) {}

  /** In the caller's transaction. */
  async insert(
    issue: Issue,
    reviewId: number,
    comment: LocatedComment & { readonly authorId: number; readonly at: number },
  ): Promise<ReviewComment> {
    const { path, line, startLine, commitId } = comment;
    return this.#store(issue, {
      review_id: reviewId,
      author_id: comment.authorId,
      original_author: '',
      thread_id: 0,
      body: comment.body,
      side: comment.side,
      path,
      line,
      start_line: startLine,
      commit_id: commitId,
      original_path: path,
      original_line: line,
      original_start_line: startLine,
      original_commit_id: commitId,
      is_outdated: false,
      hunk: comment.hunk,
      resolver_id: 0,
      created_at: comment.at,
      updated_at: comment.at,
    });
  }

  /** In the review, and on the line, of what it answers. */
  async reply(
    { issue, repository }: Pick<PullContext, 'issue' | 'repository'>,
    to: ReviewComment,
    body: string,
    actor: Actor,
  ): Promise<ReviewComment> {
    const { database, events, repositories, reader, timeline } = this.deps;
    return database.write(async () => {
      await repositories.hold(issue.repositoryId);
      const row = await database.query(ReviewCommentRow).findById(to.id);
      const review = row && (await reader.byId(row.review_id));
      if (!row || !review) throw NotFound('comment');
      const at = Date.now();
      const { entry_id: _id, ...place } = row.toJSON() as unknown as ReviewCommentRow;
      const reply = await this.#store(issue, {
        ...place,
        author_id: actor.id,
        original_author: '',
        thread_id: row.thread_id,
        body,
        resolver_id: 0,
        created_at: at,
        updated_at: at,
      });
      const what = { ...eventOf(review, issue), body, entryId: reply.id, commentId: reply.id };
      // nobody hears of what is not sent yet
      if (review.state === 'pending') return reply;
      const entry = (await timeline.byId(reply.id))!;
      const mentionedIds = await timeline.follow({ repository, issue, entry, texts: [body], actor, at });
      await events.emit(reviewChanged, { ...what, action: 'replied', actorId: actor.id, at, mentionedIds });
      return reply;
    });
  }

  async edit(
    { issue, repository }: Pick<PullContext, 'issue' | 'repository'>,
    comment: ReviewComment,
    body: string,
    actor: Actor,
  ): Promise<void> {
    const { database, events, repositories, reader, timeline } = this.deps;
    await database.write(async () => {
      await repositories.hold(issue.repositoryId);
      const at = Date.now();
      const before = await database.query(ReviewCommentRow).findById(comment.id);
      const review = before && (await reader.byId(before.review_id));
      if (!before || !review) throw NotFound('comment');
      await database.query(ReviewCommentRow).findById(comment.id).patch({ body, updated_at: at });
      await timeline.index([comment.id]);
      if (review.state === 'pending' || before.body === body) return;
      const entry = (await timeline.byId(comment.id))!;
      const written = { repository, issue, entry, texts: [body], before: [before.body], actor, at };
      const mentionedIds = await timeline.follow(written);
      const [record] = await timeline.comments([entry], actor);
      await events.emit(reviewChanged, {
        ...eventOf(review, issue),
        action: 'comment_edited',
        actorId: actor.id,
        at,
        body,
        entryId: comment.id,
        commentId: comment.id,
        before: before.body,
        mentionedIds,
        ...(record && { record: { ...record } }),
      });
    });
  }

  /** The text with links to files that came with it; tells nobody, for nothing else was changed. */
  async link(id: number, body: string): Promise<void> {
    const { database } = this.deps;
    await database.write(() => database.query(ReviewCommentRow).findById(id).patch({ body }));
  }

  /** The answers to it stay: the first of them begins the conversation then. What says nothing any more goes as well. */
  async delete(issue: Issue, comment: ReviewComment, actor: Actor): Promise<void> {
    const { database, events, repositories, reader, timeline } = this.deps;
    await database.write(async () => {
      await repositories.hold(issue.repositoryId);
      const row = await database.query(ReviewCommentRow).findById(comment.id);
      const entry = row && (await timeline.byId(comment.id));
      if (!row || !entry) throw NotFound('comment');
      const [record] = await timeline.comments([entry], actor);
      const next =
        row.thread_id === row.entry_id
          ? await database
              .query(ReviewCommentRow)
              .where('review_id', row.review_id)
              .where('thread_id', row.entry_id)
              .whereNot('entry_id', row.entry_id)
              .orderBy('entry_id')
              .first()
          : undefined;
      if (next) {
        await database
          .query(ReviewCommentRow)
          .where('review_id', row.review_id)
          .where('thread_id', row.entry_id)
          .patch({ thread_id: next.entry_id });
        await database.query(ReviewCommentRow).findById(next.entry_id).patch({ resolver_id: row.resolver_id });
      }
      await database.query(ReviewCommentRow).deleteById(row.entry_id);
      await timeline.remove(issue.id, [row.entry_id]);
      const review = await reader.byId(row.review_id);
      const at = Date.now();
      if (review && review.state !== 'pending')
        await events.emit(reviewChanged, {
          ...eventOf(review, issue),
          action: 'comment_deleted',
          actorId: actor.id,
          at,
          body: row.body,
          entryId: row.entry_id,
          commentId: row.entry_id,
          ...(record && { record: { ...record } }),
        });
      const isEmpty =
        review?.state === 'comment' && !review.body && (await reader.commentCounts([review.id])).size === 0;
      if (!isEmpty) return;
      await database.query(ReviewRow).deleteById(review.id);
      await timeline.remove(issue.id, [review.entryId]);
      const event = { ...eventOf(review, issue), action: 'deleted', actorId: actor.id, at } as const;
      await events.emit(reviewChanged, event);
    });
  }

  /** Settles the conversation that the comment is part of, or opens it again. */
  async resolve(
    issue: Pick<Issue, 'id' | 'index' | 'repositoryId'>,
    comment: ReviewComment,
    isResolved: boolean,
    actor: Pick<Actor, 'id'>,
  ): Promise<void> {
    const { database, events, repositories, reader } = this.deps;
    await database.write(async () => {
      await repositories.hold(issue.repositoryId);
      const changed = await database
        .query(ReviewCommentRow)
        .findById(comment.threadId)
        .where((query) => void (isResolved ? query.where('resolver_id', 0) : query.whereNot('resolver_id', 0)))
        .patch({ resolver_id: isResolved ? actor.id : 0 });
      const review = changed ? await reader.byId(comment.reviewId) : undefined;
      if (!review || review.state === 'pending') return;
      await events.emit(reviewChanged, {
        ...eventOf(review, issue),
        action: isResolved ? 'resolved' : 'unresolved',
        actorId: actor.id,
        at: Date.now(),
        commentId: comment.threadId,
      });
    });
  }

  async #store(issue: Issue, row: Partial<ReviewCommentRow>): Promise<ReviewComment> {
    const { database, timeline } = this.deps;
    const at = row.created_at!;
    const entry = (await timeline.record({
      issue,
      kind: 'code',
      actorId: row.author_id!,
      subjectId: row.review_id!,
      at,
    }))!;
    await database.query(ReviewCommentRow).insert({
      ...row,
      entry_id: entry.id,
      issue_id: issue.id,
      thread_id: row.thread_id || entry.id,
    });
    await timeline.index([entry.id]);
    return toComment((await database.query(ReviewCommentRow).findById(entry.id))!);
  }
}
