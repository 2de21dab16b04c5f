import type { ApprovalSubject, Pulls } from '@mortise/pulls/api';
import type { Review } from '../contract/reviews.js';
import type { Reviewers } from './reviewers.js';

/** Which reviews count for the rules of the base branch, as they stand today. */
export class OfficialReviews {
  constructor(private readonly deps: { readonly pulls: Pulls; readonly reviewers: Reviewers }) {}

  /**
   * Ids of those that counted when they were given and still do: an approval while its author is qualified
   * ({@link Pulls.qualifiedApprovers}), a request for changes while its author may write, each where the rule names them.
   */
  async among(subject: ApprovalSubject, reviews: readonly Review[]): Promise<Set<number>> {
    const { pulls, reviewers } = this.deps;
    const { repository, pull, issue } = subject;
    const official = reviews.filter(({ isOfficial, reviewerId }) => isOfficial && reviewerId > 0);
    const idsOf = (some: readonly Review[]) => some.map(({ reviewerId }) => reviewerId);
    const approvals = official.filter(({ state }) => state === 'approved');
    const others = official.filter(({ state }) => state === 'rejected');
    const [qualified, writers] = await Promise.all([
      pulls.qualifiedApprovers(subject, idsOf(approvals)),
      pulls.activeWriters(repository, idsOf(others)),
    ]);
    const standing = [
      ...approvals.filter(({ reviewerId }) => qualified.has(reviewerId)),
      ...others.filter(({ reviewerId }) => writers.has(reviewerId) && reviewerId !== issue.posterId),
    ];
    const listed = await reviewers.listedAmong(repository, pull.baseBranch, [...new Set(idsOf(standing))]);
    return new Set(standing.filter(({ reviewerId }) => listed.has(reviewerId)).map(({ id }) => id));
  }
}
