import { type Actor, type Database, type Events } from '@mortise/plugin-sdk';
import type { Issue, Timeline } from '@mortise/issues/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { reviewChanged } from '../api.js';
import type { Review } from '../contract/reviews.js';
import { ReviewRow, toReview } from '../models/review.js';
import { requestKey } from './review-reader.js';

/** Somebody who is asked: a person, or a team. */
export interface RequestedReviewer {
  readonly userId?: number;
  readonly teamId?: number;
  readonly isOfficial: boolean;
}

type IssueOf = Pick<Issue, 'id' | 'index' | 'repositoryId'>;

/** Asks for reviews, and stops asking. Asks for no rights. */
export class ReviewRequests {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly timeline: Timeline;
      readonly repositories: Repositories;
    },
  ) {}

  /** Gives those that were not asked before. Joins the caller's transaction. */
  add(
    repository: Pick<Repository, 'id'>,
    issue: IssueOf,
    asked: readonly RequestedReviewer[],
    actorId: number,
  ): Promise<Review[]> {
    const { database, events, timeline, repositories } = this.deps;
    return database.write(async () => {
      await repositories.hold(repository.id);
      const keys = asked.map((one) => requestKey(issue.id, one));
      const there = await database.query(ReviewRow).whereIn('once_key', keys);
      const known = new Set(there.map((row) => row.once_key));
      const made: Review[] = [];
      const at = Date.now();
      for (const { userId = 0, teamId = 0, isOfficial } of asked) {
        const key = requestKey(issue.id, { userId, teamId });
        if (known.has(key)) continue;
        known.add(key);
        const row = await database.query(ReviewRow).insertAndFetch({
          issue_id: issue.id,
          repository_id: issue.repositoryId,
          state: 'request',
          reviewer_id: userId,
          team_id: teamId,
          body: '',
          commit_id: '',
          version: 0,
          is_official: isOfficial,
          is_stale: false,
          seen_head: '',
          is_dismissed: false,
          entry_id: 0,
          once_key: key,
          created_at: at,
          updated_at: at,
        });
        const review = toReview(row);
        await timeline.record({ issue, kind: 'review_request', actorId, subjectId: userId, data: { teamId }, at });
        await events.emit(reviewChanged, { ...eventOf(review, issue), action: 'requested', actorId, at });
        made.push(review);
      }
      return made;
    });
  }

  /** Those who were not asked are passed over. Joins the caller's transaction. */
  async remove(
    repository: Pick<Repository, 'id'>,
    issue: IssueOf,
    asked: readonly Omit<RequestedReviewer, 'isOfficial'>[],
    actor: Pick<Actor, 'id'>,
  ) {
    const { database, events, timeline, repositories } = this.deps;
    await database.write(async () => {
      await repositories.hold(repository.id);
      const keys = asked.map((one) => requestKey(issue.id, one));
      const rows = await database.query(ReviewRow).whereIn('once_key', keys).orderBy('id');
      if (rows.length === 0) return;
      await database
        .query(ReviewRow)
        .delete()
        .whereIn(
          'id',
          rows.map(({ id }) => id),
        );
      const at = Date.now();
      for (const review of rows.map(toReview)) {
        const data = { teamId: review.teamId, removed: true };
        await timeline.record({
          issue,
          kind: 'review_request',
          actorId: actor.id,
          subjectId: review.reviewerId,
          data,
          at,
        });
        const event = { ...eventOf(review, issue), action: 'unrequested', actorId: actor.id, at } as const;
        await events.emit(reviewChanged, { ...event, reviewId: 0 });
      }
    });
  }
}

export const eventOf = (review: Review, issue: IssueOf) => ({
  repositoryId: issue.repositoryId,
  issueId: issue.id,
  index: issue.index,
  reviewId: review.id,
  state: review.state,
  body: review.body,
  reviewerId: review.reviewerId,
  teamId: review.teamId,
  entryId: review.entryId,
});
