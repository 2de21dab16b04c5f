import type { QueryBuilder } from 'objection';
import { pageOf, type Actor, type Cache, type Database, type QueryCache, type Model } from '@mortise/plugin-sdk';
import type { Review, ReviewComment, ReviewSummary } from '../contract/reviews.js';
import { ReviewCommentRow, toComment } from '../models/review-comment.js';
import { ReviewRow, toReview } from '../models/review.js';
import { suggestionIn } from './suggestion-text.js';

/** Comments on one pull request, or of one review, that are given at once. */
const maxComments = 5000;
/** Reviews that a new head is compared with. */
const maxSent = 1000;
const sentAtOnce = 100;
const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0 && id < 2 ** 31;

/** Rows of reviews and of comments on lines. */
export class ReviewReader {
  readonly #summaries: QueryCache<ReviewSummary>;
  readonly #pending: QueryCache<Review | undefined>;
  readonly #contributions: QueryCache<number>;
  readonly #openConversations: QueryCache<readonly number[]>;
  readonly #suggestionCommits: QueryCache<readonly string[]>;

  constructor(
    private readonly database: Database,
    cache: Cache,
  ) {
    this.#summaries = cache.query('reviews.summaries');
    this.#pending = cache.query('reviews.pending');
    this.#contributions = cache.query('reviews.contributions');
    this.#openConversations = cache.query('reviews.openConversations');
    this.#suggestionCommits = cache.query('reviews.suggestionCommits');
  }

  async byId(id: number): Promise<Review | undefined> {
    const row = isId(id) ? await this.database.query(ReviewRow).findById(id) : undefined;
    return row && toReview(row);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Review>> {
    const wanted = [...new Set(ids)].filter(isId);
    const rows = wanted.length ? await this.database.query(ReviewRow).whereIn('id', wanted) : [];
    return new Map(rows.map((row) => [row.id, toReview(row)]));
  }

  /** The newest version of the head that a person has said something about; 0: none. */
  async lastVersion(issueId: number, userId: number): Promise<number> {
    const row = await this.database
      .query(ReviewRow)
      .select('version')
      .where({ issue_id: issueId, reviewer_id: userId })
      .whereIn('state', ['approved', 'rejected', 'comment'])
      .orderBy('version', 'desc')
      .first();
    return row?.version ?? 0;
  }

  /** By the entry of the timeline that they are. */
  async byEntries(issueId: number, entryIds: readonly number[]): Promise<Map<number, Review>> {
    const rows = await this.database
      .query(ReviewRow)
      .where('issue_id', issueId)
      .whereIn('entry_id', [...entryIds]);
    return new Map(rows.map((row) => [row.entry_id, toReview(row)]));
  }

  /** Of a review that the actor may see. */
  static isVisible({ state, reviewerId }: Review, actor: Pick<Actor, 'id'>): boolean {
    return state !== 'pending' || (actor.id > 0 && reviewerId === actor.id);
  }

  async list(
    issueId: number,
    actor: Pick<Actor, 'id'>,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ items: Review[]; total: number }> {
    const query = this.#visible(this.database.query(ReviewRow).where('issue_id', issueId), actor);
    const { rows, total } = await pageOf(query.orderBy('id'), { limit, offset });
    return { items: rows.map(toReview), total };
  }

  /** The pending review of a person. */
  async pending(issueId: number, userId: number): Promise<Review | undefined> {
    const key = pendingKey(issueId, userId);
    return this.#pending.load(key, async () => {
      const row = await this.database.query(ReviewRow).findOne({ once_key: key });
      return row && toReview(row);
    });
  }

  /** Opinions and requests that still stand, in the order in which they came. */
  summary(issueIds: readonly number[]): Promise<Map<number, ReviewSummary>> {
    return this.#summaries.loadMany(issueIds, (missing) => this.#summariesOf(missing));
  }

  async #summariesOf(issueIds: readonly number[]): Promise<Map<number, ReviewSummary>> {
    const summaries = new Map<number, ReviewSummary>();
    if (issueIds.length === 0) return summaries;
    const rows = await this.database
      .query(ReviewRow)
      .whereIn('issue_id', [...new Set(issueIds)])
      .whereIn('state', ['approved', 'rejected', 'request'])
      .where('is_dismissed', false)
      .orderBy('id');
    for (const id of issueIds) {
      const own = rows.filter((row) => row.issue_id === id).map(toReview);
      const opinions = own.filter(({ state }) => state !== 'request');
      summaries.set(id, {
        opinions: [...new Map(opinions.map((one) => [one.reviewerId, one])).values()],
        requests: own.filter(({ state }) => state === 'request'),
      });
    }
    return summaries;
  }

  /** What people have sent and what waits to be sent, as far as it is about a head: the newest 1,000, some at a time. */
  async *sent(issueId: number): AsyncGenerator<Review[]> {
    let before: number | undefined;
    for (let left = maxSent; left > 0; left -= sentAtOnce) {
      const query = this.database.query(ReviewRow).where('issue_id', issueId).whereNot('state', 'request');
      if (before !== undefined) void query.where('id', '<', before);
      const rows = await query.orderBy('id', 'desc').limit(sentAtOnce);
      if (rows.length) yield rows.map(toReview);
      if (rows.length < sentAtOnce) return;
      before = rows.at(-1)!.id;
    }
  }

  /** By the id of the review. */
  async commentCounts(reviewIds: readonly number[]): Promise<Map<number, number>> {
    return this.#counts('review_id', this.database.query(ReviewCommentRow).whereIn('review_id', [...reviewIds]));
  }

  /** By the id of the issue, without pending ones. */
  async publicCounts(issueIds: readonly number[]): Promise<Map<number, number>> {
    const query = this.database.query(ReviewCommentRow).whereIn('issue_id', [...issueIds]);
    void query.whereNotIn('review_id', this.#pendingOf(issueIds));
    return this.#counts('issue_id', query);
  }

  /** Reviews of a pull request and comments on its lines, without pending ones. */
  contributions(issueId: number): Promise<number> {
    return this.#contributions.load(String(issueId), async () => {
      const reviews = this.database.query(ReviewRow).where('issue_id', issueId).where('entry_id', '>', 0);
      const [reviewed, comments] = await Promise.all([
        reviews.whereNot('state', 'pending').resultSize(),
        this.publicCounts([issueId]),
      ]);
      return reviewed + (comments.get(issueId) ?? 0);
    });
  }

  /** The first comments of conversations that nobody has resolved, oldest first, without pending ones. */
  openConversations(issueId: number): Promise<readonly number[]> {
    return this.#openConversations.load(String(issueId), async () => {
      const rows = await this.database
        .query(ReviewCommentRow)
        .select('entry_id')
        .where({ issue_id: issueId, resolver_id: 0 })
        .whereColumn('thread_id', 'entry_id')
        .whereNotIn('review_id', this.#pendingOf([issueId]))
        .orderBy('entry_id')
        .limit(maxComments);
      return rows.map(({ entry_id: id }) => id);
    });
  }

  /** For each suggestion that stands in an open conversation of a review that was sent, the commit that it is about. */
  suggestionCommits(issueId: number): Promise<readonly string[]> {
    return this.#suggestionCommits.load(String(issueId), async () => {
      const comments = await this.comments(issueId, { id: 0 });
      const resolved = new Set(comments.filter(({ resolverId }) => resolverId > 0).map(({ threadId }) => threadId));
      return comments
        .filter(
          ({ body, side, isOutdated, threadId }) =>
            side === 'new' && !isOutdated && !resolved.has(threadId) && suggestionIn(body) !== undefined,
        )
        .map(({ commitId }) => commitId);
    });
  }

  async comment(id: number): Promise<ReviewComment | undefined> {
    const row = isId(id) ? await this.database.query(ReviewCommentRow).findById(id) : undefined;
    return row && toComment(row);
  }

  async commentsByIds(ids: readonly number[]): Promise<ReviewComment[]> {
    const wanted = ids.filter(isId);
    const rows = wanted.length ? await this.database.query(ReviewCommentRow).whereIn('entry_id', wanted) : [];
    return rows.map(toComment);
  }

  /** Of several reviews, oldest first. */
  async commentsOfAll(reviewIds: readonly number[]): Promise<ReviewComment[]> {
    const rows = reviewIds.length
      ? await this.database
          .query(ReviewCommentRow)
          .whereIn('review_id', [...reviewIds])
          .orderBy('entry_id')
          .limit(maxComments)
      : [];
    return rows.map(toComment);
  }

  async commentsOf(reviewId: number): Promise<ReviewComment[]> {
    const rows = await this.database
      .query(ReviewCommentRow)
      .where('review_id', reviewId)
      .orderBy('entry_id')
      .limit(maxComments);
    return rows.map(toComment);
  }

  /** Those that the actor may see, oldest first. */
  async comments(issueId: number, actor: Pick<Actor, 'id'>): Promise<ReviewComment[]> {
    const hidden = this.#pendingOf([issueId]);
    if (actor.id > 0) void hidden.whereNot('reviewer_id', actor.id);
    const rows = await this.database
      .query(ReviewCommentRow)
      .where('issue_id', issueId)
      .whereNotIn('review_id', hidden)
      .orderBy('entry_id')
      .limit(maxComments);
    return rows.map(toComment);
  }

  #pendingOf(issueIds: readonly number[]) {
    return ReviewRow.query()
      .select('id')
      .whereIn('issue_id', [...issueIds])
      .where('state', 'pending');
  }

  #visible(query: QueryBuilder<ReviewRow>, { id }: Pick<Actor, 'id'>): QueryBuilder<ReviewRow> {
    return query.where((either) => {
      void either.whereNot('state', 'pending');
      if (id > 0) void either.orWhere('reviewer_id', id);
    });
  }

  async #counts(column: 'review_id' | 'issue_id', query: QueryBuilder<ReviewCommentRow>): Promise<Map<number, number>> {
    const rows = (await query.select(column).count('* as total').groupBy(column)) as unknown as Record<
      string,
      unknown
    >[];
    return new Map(rows.map((row) => [Number(row[column]), Number(row.total)]));
  }
}

export const pendingKey = (issueId: number, userId: number): string => `pending:${issueId}:${userId}`;
export const requestKey = (issueId: number, asked: { readonly userId?: number; readonly teamId?: number }): string =>
  `request:${issueId}:${asked.teamId ? `t${asked.teamId}` : `u${asked.userId ?? 0}`}`;

/** Filters of searches: those where an account is waited for, and those that it has reviewed. */
export const whereReviewRequested =
  (teamsOf: (userId: number) => QueryBuilder<Model> | undefined) =>
  (userId: number, query: QueryBuilder<Model>): void => {
    const asked = ReviewRow.query()
      .select('issue_id')
      .where('state', 'request')
      .where((either) => {
        void either.where('reviewer_id', userId);
        const teams = teamsOf(userId);
        if (teams) void either.orWhereIn('team_id', teams);
      });
    void query.whereIn('issue.id', asked);
  };
export const reviewedBy = (userId: number, query: QueryBuilder<Model>): void => {
  const written = ReviewRow.query()
    .select('issue_id')
    .where('reviewer_id', userId)
    .whereIn('state', ['approved', 'rejected', 'comment']);
  void query.whereIn('issue.id', written);
};
