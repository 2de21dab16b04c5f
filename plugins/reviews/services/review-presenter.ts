import { anonymous, apiTime, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import type { ApiTeam } from '@mortise/organizations/api';
import type { PullFields, Pulls } from '@mortise/pulls/api';
import type { Repositories } from '@mortise/repositories/api';
import type { ApiReview, ApiReviewComment, ApiReviewState } from '../contract/models.js';
import type { Review, ReviewComment, ReviewState } from '../contract/reviews.js';
import type { OfficialReviews } from './official-reviews.js';
import type { Reviewers } from './reviewers.js';
import type { ReviewReader } from './review-reader.js';

const states: Readonly<Record<ReviewState, ApiReviewState>> = {
  approved: 'APPROVED',
  rejected: 'REQUEST_CHANGES',
  comment: 'COMMENT',
  pending: 'PENDING',
  request: 'REQUEST_REVIEW',
};

/** Makes models of reviews and their comments. */
export class ReviewPresenter implements PullFields {
  readonly key = 'reviews';

  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly issues: Issues;
      readonly repositories: Repositories;
      readonly reader: ReviewReader;
      readonly reviewers: Reviewers;
      readonly official: OfficialReviews;
      readonly pulls: Pulls;
    },
  ) {}

  /** `requested_reviewers`: who is asked, and whose opinion stands; and how many comments on lines there are. */
  async fields(pulls: Parameters<PullFields['fields']>[0], actor: Actor) {
    const { accounts, reader } = this.deps;
    const ids = pulls.map(({ issueId }) => issueId);
    const [summaries, counts] = await Promise.all([reader.summary(ids), reader.publicCounts(ids)]);
    const all = [...summaries.values()].flatMap(({ opinions, requests }) => [...opinions, ...requests]);
    const [users, teams] = await Promise.all([
      accounts.byIds([...new Set(all.map(({ reviewerId }) => reviewerId).filter(Boolean))]),
      this.#teams(all, actor),
    ]);
    return new Map(
      ids.map((id) => {
        const { opinions = [], requests = [] } = summaries.get(id) ?? {};
        const asked = [...new Set([...requests, ...opinions].map(({ reviewerId }) => reviewerId).filter(Boolean))];
        const model = {
          requested_reviewers: asked.flatMap((one) =>
            users.has(one) ? [accounts.toApiUser(users.get(one)!, anonymous)] : [],
          ),
          requested_reviewers_teams: requests.flatMap(({ teamId }) => teams.get(teamId) ?? []),
          review_comments: counts.get(id) ?? 0,
        };
        return [id, model] as const;
      }),
    );
  }

  async reviews(reviews: readonly Review[], actor: Actor): Promise<ApiReview[]> {
    const { accounts, reader } = this.deps;
    const [pages, users, counts, teams, official] = await Promise.all([
      this.#pages(reviews.map(({ issueId }) => issueId)),
      accounts.byIds([...new Set(reviews.map(({ reviewerId }) => reviewerId).filter(Boolean))]),
      reader.commentCounts(reviews.map(({ id }) => id)),
      this.#teams(reviews, actor),
      this.#official(reviews),
    ]);
    return reviews.map((review) => {
      const account = users.get(review.reviewerId);
      const page = pages.get(review.issueId) ?? '';
      const user = account ? accounts.toApiUser(account, actor) : accounts.ghost();
      return {
        id: review.id,
        user: review.reviewerId ? user : null,
        team: teams.get(review.teamId) ?? null,
        state: states[review.state],
        body: review.body,
        commit_id: review.commitId,
        stale: review.isStale,
        official: official.has(review.id),
        dismissed: review.isDismissed,
        comments_count: counts.get(review.id) ?? 0,
        submitted_at: apiTime(review.createdAt),
        updated_at: apiTime(review.updatedAt),
        html_url: review.entryId ? `${page}#issuecomment-${review.entryId}` : '',
        pull_request_url: page,
      };
    });
  }

  async comments(comments: readonly ReviewComment[], actor: Actor): Promise<ApiReviewComment[]> {
    const { accounts } = this.deps;
    const [pages, users] = await Promise.all([
      this.#pages(comments.map(({ issueId }) => issueId)),
      accounts.byIds([
        ...new Set(comments.flatMap(({ authorId, resolverId }) => [authorId, resolverId]).filter(Boolean)),
      ]),
    ]);
    const userOf = (id: number) => (users.has(id) ? accounts.toApiUser(users.get(id)!, actor) : accounts.ghost());
    return comments.map((comment) => {
      const page = pages.get(comment.issueId) ?? '';
      const isMoved = comment.commitId !== comment.original.commitId;
      return {
        id: comment.id,
        body: comment.body,
        user: userOf(comment.authorId),
        resolver: comment.resolverId ? userOf(comment.resolverId) : null,
        pull_request_review_id: comment.reviewId,
        created_at: apiTime(comment.createdAt),
        updated_at: apiTime(comment.updatedAt),
        path: comment.path,
        commit_id: comment.commitId,
        original_commit_id: isMoved ? comment.original.commitId : '',
        diff_hunk: comment.hunk,
        position: comment.side === 'new' ? comment.line : 0,
        original_position: comment.side === 'old' ? comment.line : 0,
        html_url: `${page}#issuecomment-${comment.id}`,
        pull_request_url: page,
      };
    });
  }

  async teamModels(ids: readonly number[], actor: Actor): Promise<Map<number, ApiTeam>> {
    const { teams } = this.deps.reviewers;
    const wanted = [...new Set(ids)].filter(Boolean);
    if (!teams || wanted.length === 0) return new Map();
    const teamRows = [...(await teams.byIds(wanted)).values()];
    return new Map((await teams.toApi(teamRows, actor)).map((model) => [model.id, model]));
  }

  /** Ids of those that count for the rules of their base branch; a request counts as it was made. */
  async #official(reviews: readonly Review[]): Promise<Set<number>> {
    const { issues, pulls, repositories, official } = this.deps;
    const found = new Set(
      reviews.filter(({ state, isOfficial }) => state === 'request' && isOfficial).map(({ id }) => id),
    );
    const given = reviews.filter(({ state, isOfficial }) => state !== 'request' && isOfficial);
    const issueIds = [...new Set(given.map(({ issueId }) => issueId))];
    if (issueIds.length === 0) return found;
    const [known, all] = await Promise.all([issues.byIds(issueIds), pulls.byIssueIds(issueIds)]);
    const bases = await repositories.byIds([...new Set([...known.values()].map((issue) => issue.repositoryId))]);
    for (const issue of known.values()) {
      const [pull, repository] = [all.get(issue.id), bases.get(issue.repositoryId)];
      if (!pull || !repository) continue;
      const own = given.filter(({ issueId }) => issueId === issue.id);
      for (const id of await official.among({ pull, repository, issue }, own)) found.add(id);
    }
    return found;
  }

  #teams(reviews: readonly Review[], actor: Actor): Promise<Map<number, ApiTeam>> {
    return this.teamModels(
      reviews.map(({ teamId }) => teamId),
      actor,
    );
  }

  /** Addresses of the pages of pull requests. */
  async #pages(issueIds: readonly number[]): Promise<Map<number, string>> {
    const { issues, repositories } = this.deps;
    const issuesById = await issues.byIds([...new Set(issueIds)]);
    const repositoriesById = await repositories.byIds([
      ...new Set([...issuesById.values()].map((issue) => issue.repositoryId)),
    ]);
    return new Map(
      [...issuesById.values()].flatMap((issue) => {
        const repository = repositoriesById.get(issue.repositoryId);
        return repository ? [[issue.id, issues.htmlUrl(repository, issue)] as const] : [];
      }),
    );
  }
}
