import {
  Forbidden,
  Invalid,
  NotFound,
  defineJob,
  type Actor,
  type Database,
  type Events,
  type Jobs,
  type Logger,
} from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { Issue, Timeline } from '@mortise/issues/api';
import type { PullContext, PullRequest, Pulls } from '@mortise/pulls/api';
import type { Repositories } from '@mortise/repositories/api';
import { reviewChanged } from '../api.js';
import type { NewReview, Review, Verdict } from '../contract/reviews.js';
import { ReviewCommentRow } from '../models/review-comment.js';
import { ReviewRow, toReview } from '../models/review.js';
import type { ReviewCommentWriter } from './review-comment-writer.js';
import type { Reviewers } from './reviewers.js';
import type { CommentPositions } from './diff-position.js';
import { ReviewReader, pendingKey, requestKey } from './review-reader.js';
import { eventOf } from './review-requests.js';
import { contentKey, type StalenessTracker } from './staleness.js';
import type { LineTracker } from './line-tracker.js';
import { t } from '../texts/index.js';

const opinions: readonly Review['state'][] = ['approved', 'rejected'];
const isOpinion = (state: Review['state']): state is 'approved' | 'rejected' => opinions.includes(state);

/** Finds out what has become of what a review of an older head says. */
export const followReview = defineJob<{ readonly reviewId: number }>('reviews.follow');

/** Writes, sends, dismisses and deletes reviews. Asks for no rights. */
export class ReviewWriter {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly jobs: Jobs;
      readonly log: Pick<Logger, 'warn'>;
      readonly gitReader: GitReader;
      readonly timeline: Timeline;
      readonly repositories: Repositories;
      readonly pulls: Pulls;
      readonly reader: ReviewReader;
      readonly reviewers: Reviewers;
      readonly positions: CommentPositions;
      readonly comments: ReviewCommentWriter;
      readonly staleness: StalenessTracker;
      readonly lineTracker: LineTracker;
    },
  ) {}

  /** A review of the actor, or their pending one with more to it; `only`: that pending one, which must still be it. */
  async submit(context: PullContext, input: NewReview, actor: Actor, only?: Review): Promise<Review> {
    const review = await this.#submit(context, input, actor, only);
    try {
      return await this.#follow(review);
    } catch (error) {
      // it is stored, and the job looks again
      this.deps.log.warn('could not handle a submitted review', {
        event: 'review.follow',
        reviewId: review.id,
        error: String(error).slice(0, 500),
      });
      return review;
    }
  }

  /** Of one that was stored: whether it is stale, and where its lines are by now. Done twice is done once. */
  async follow(reviewId: number): Promise<void> {
    const review = await this.deps.reader.byId(reviewId);
    if (review) await this.#follow(review);
  }

  async #follow(review: Review): Promise<Review> {
    const { pulls, reviewers, staleness, lineTracker } = this.deps;
    const pull = await pulls.byIssueId(review.issueId);
    // one about an older head: that has moved on without it
    if (!pull || review.commitId === pull.headOid) return review;
    await lineTracker.track(pull);
    const rule = await reviewers.ruleFor(pull.repositoryId, pull.baseBranch);
    return (await staleness.update(pull, [review], rule?.dismissStaleApprovals))[0]!;
  }

  async #submit(context: PullContext, input: NewReview, actor: Actor, only?: Review): Promise<Review> {
    const { issue, pull, repository } = context;
    const { state, body } = input;
    const { database, reader, reviewers, positions, comments, repositories } = this.deps;
    checkState(state, issue, actor);
    const there = only ?? (await reader.pending(issue.id, actor.id));
    const commitId = input.commitId || there?.commitId || pull.headOid;
    const version = await this.#versionOf(pull, commitId);
    const placed = await positions.locate(pull, commitId, input.comments ?? []);
    const official = isOpinion(state)
      ? await reviewers.officialAmong(repository, pull.baseBranch, [actor.id])
      : new Set<number>();
    return database.write(async () => {
      await repositories.hold(repository.id);
      const pending = await reader.pending(issue.id, actor.id);
      if (only && pending?.id !== only.id) throw Invalid(t.later('error.notPending'));
      const text = body?.trim() ? body : (pending?.body ?? '');
      const hasComments = placed.length > 0 || (pending && (await reader.commentCounts([pending.id])).size > 0);
      if (needsText(state) && !text && !hasComments) throw Invalid(t.later('error.noWords'));
      if (state === 'rejected' && !text) throw Invalid(t.later('error.noWords'));
      const at = Date.now();
      const row = {
        state,
        body: text,
        commit_id: commitId,
        version,
        is_official: official.has(actor.id),
        is_stale: false,
        // whether it is stale is found out where it is about another commit
        merge_base: commitId === pull.headOid ? pull.mergeBase : '',
        seen_head: commitId === pull.headOid ? contentKey(pull) : '',
        once_key: state === 'pending' ? pendingKey(issue.id, actor.id) : null,
        updated_at: at,
      };
      if (state !== 'pending') await this.#makeRoom(context, state, actor);
      const entry =
        state === 'pending'
          ? undefined
          : await this.deps.timeline.record({ issue, kind: 'review', actorId: actor.id, body: text, at });
      const filled = { ...row, entry_id: entry?.id ?? 0 };
      const id = pending?.id ?? (await this.#insert(issue, actor, filled, at));
      if (pending) await database.query(ReviewRow).findById(id).patch(filled);
      for (const one of placed) await comments.insert(issue, id, { ...one, authorId: actor.id, at });
      const review = (await reader.byId(id))!;
      if ((await this.deps.pulls.byIssueId(issue.id))?.headOid !== commitId)
        await this.deps.jobs.enqueue(followReview, { reviewId: id }, { uniqueKey: `reviews.follow:${id}` });
      if (entry) {
        // what was written before the review was sent counts now
        const all = await reader.commentsOf(id);
        await this.deps.timeline.index([entry.id, ...all.map((one) => one.id)]);
        const texts = [text, ...all.map((one) => one.body)];
        const mentionedIds = await this.deps.timeline.follow({ repository, issue, entry, texts, actor, at });
        const event = { ...eventOf(review, issue), action: 'submitted', actorId: actor.id, at, mentionedIds } as const;
        await this.deps.events.emit(reviewChanged, event);
      }
      return review;
    });
  }

  /** With its comments, and answers to them. */
  async delete(issue: Issue, review: Review, actor: Actor): Promise<void> {
    const { database, events, repositories, timeline } = this.deps;
    await database.write(async () => {
      await repositories.hold(issue.repositoryId);
      const comments = await database.query(ReviewCommentRow).select('entry_id').where('review_id', review.id);
      if (!(await database.query(ReviewRow).deleteById(review.id))) throw NotFound('review');
      await timeline.remove(issue.id, [review.entryId, ...comments.map((one) => one.entry_id)]);
      if (review.state === 'pending') return;
      const event = { ...eventOf(review, issue), action: 'deleted', actorId: actor.id, at: Date.now() } as const;
      await events.emit(reviewChanged, event);
    });
  }

  /** `priors`: also all others of that person. Invalid for what is no opinion. */
  async dismiss(issue: Issue, review: Review, by: { message: string; priors: boolean; actor: Actor }): Promise<Review> {
    const { actor } = by;
    return this.#turn(issue, review, true, async (at) => {
      const { database, timeline } = this.deps;
      if (by.priors)
        await database
          .query(ReviewRow)
          .where({ issue_id: issue.id, reviewer_id: review.reviewerId })
          .whereIn('state', [...opinions])
          .patch({ is_dismissed: true, updated_at: at });
      const entry = { issue, kind: 'dismiss_review', actorId: actor.id, body: by.message, subjectId: review.id, at };
      await timeline.record(entry);
      await this.#emit(issue, review, 'dismissed', actor, at);
    });
  }

  async undismiss(issue: Issue, review: Review, actor: Actor): Promise<Review> {
    return this.#turn(issue, review, false, (at) => this.#emit(issue, review, 'undismissed', actor, at));
  }

  async #turn(issue: Issue, review: Review, isDismissed: boolean, more: (at: number) => Promise<void>) {
    if (issue.isClosed) throw Forbidden(t.later('error.closed'));
    if (!isOpinion(review.state)) throw Forbidden(t.later('error.notDismissable'));
    const { database, repositories } = this.deps;
    return database.write(async () => {
      await repositories.hold(issue.repositoryId);
      const at = Date.now();
      const turned = await database
        .query(ReviewRow)
        .findById(review.id)
        .patch({ is_dismissed: isDismissed, updated_at: at });
      if (!turned) throw NotFound('review');
      await more(at);
      return toReview((await database.query(ReviewRow).findById(review.id))!);
    });
  }

  #emit(issue: Issue, review: Review, action: 'dismissed' | 'undismissed', actor: Actor, at: number): Promise<void> {
    return this.deps.events.emit(reviewChanged, { ...eventOf(review, issue), action, actorId: actor.id, at });
  }

  /** Of one person the newest opinion counts, and who has given one is no longer waited for. */
  async #makeRoom({ issue }: PullContext, state: Verdict, actor: Actor): Promise<void> {
    if (!isOpinion(state)) return;
    const { database, reviewers } = this.deps;
    await database
      .query(ReviewRow)
      .where({ issue_id: issue.id, reviewer_id: actor.id })
      .whereIn('state', [...opinions])
      .patch({ is_dismissed: true, is_official: false });
    await database
      .query(ReviewRow)
      .delete()
      .where('once_key', requestKey(issue.id, { userId: actor.id }));
    const { teams } = reviewers;
    if (teams)
      await database
        .query(ReviewRow)
        .delete()
        .where({ issue_id: issue.id, state: 'request' })
        .whereIn('team_id', await this.#teamsOf(issue.id, actor.id));
  }

  /** Of the teams that are asked, those that the person is in. */
  async #teamsOf(issueId: number, userId: number): Promise<number[]> {
    const { database, reviewers } = this.deps;
    const rows = await database
      .query(ReviewRow)
      .where({ issue_id: issueId, state: 'request' })
      .where('team_id', '>', 0)
      .whereIn('team_id', reviewers.teams!.idsOfMember(userId));
    return rows.map((row) => row.team_id);
  }

  async #insert(issue: Issue, actor: Actor, row: Partial<ReviewRow>, at: number): Promise<number> {
    const made = await this.deps.database.query(ReviewRow).insertAndFetch({
      ...row,
      issue_id: issue.id,
      repository_id: issue.repositoryId,
      reviewer_id: actor.id,
      team_id: 0,
      is_dismissed: false,
      created_at: at,
    });
    return made.id;
  }

  /** Of the head it is its version; Invalid for what is no commit of the pull request. */
  async #versionOf(pull: PullRequest, commitId: string): Promise<number> {
    if (commitId === pull.headOid) return pull.version;
    const { pulls, gitReader } = this.deps;
    const version = (await pulls.versions(pull)).find((one) => one.headOid === commitId);
    if (version) return version.number;
    const git = gitReader.open(pull.repositoryId);
    const isKnown = (await git.info(commitId))?.type === 'commit' && (await git.isAncestor(commitId, pull.headOid));
    if (!isKnown) throw Invalid(t.later('error.noCommit'));
    return 0;
  }
}

const needsText = (state: NewReview['state']): boolean => state === 'comment';

function checkState(state: NewReview['state'], issue: Issue, actor: Actor): void {
  if (state !== 'approved' && state !== 'rejected') return;
  if (issue.posterId === actor.id) throw Invalid(t.later(`error.own.${state}`));
  if (issue.isClosed) throw Invalid(t.later('error.closed'));
}
