import type { Issue } from '@mortise/issues/api';
import type { NewPullContext, PullExtension } from '@mortise/pulls/api';
import type { Actor } from '@mortise/plugin-sdk';
import type { OwnerRequests } from './owner-requests.js';
import type { Reviewers } from './reviewers.js';
import type { RequestedReviewer, ReviewRequests } from './review-requests.js';
import type { Repository } from '@mortise/repositories/api';

/** What a new pull request names: `extensions.reviewers`. */
interface ReviewersInput {
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
}

interface Deps {
  readonly reviewers: Reviewers;
  readonly requests: ReviewRequests;
  readonly owners: OwnerRequests;
}

/** Those who are named, as far as they can be asked: NotFound for who does not exist, Invalid for who cannot review. */
export async function requestedBy(
  { users = [], teams = [] }: ReviewersInput,
  of: {
    readonly repository: Repository;
    readonly branch: string;
    readonly posterId: number;
    /** Who asks. */
    readonly askerId: number;
  },
  reviewers: Reviewers,
): Promise<RequestedReviewer[]> {
  const people = await reviewers.users(users);
  const groups = await reviewers.teamsOf(of.repository, teams);
  const [problem] = (
    await reviewers.problems(people, of.repository, { posterId: of.posterId, askerIds: [of.askerId] })
  ).values();
  if (problem) throw problem;
  for (const team of groups) {
    const problem = await reviewers.teamProblem(team, of.repository);
    if (problem) throw problem;
  }
  const ids = people.map(({ id }) => id);
  const official = await reviewers.officialAmong(of.repository, of.branch, ids);
  const asked: RequestedReviewer[] = ids.map((userId) => ({ userId, isOfficial: official.has(userId) }));
  for (const team of groups)
    asked.push({ teamId: team.id, isOfficial: await reviewers.isOfficialTeam(of.repository, of.branch, team) });
  return asked;
}

interface PreparedRequests {
  readonly repository: Repository;
  readonly asked: readonly RequestedReviewer[];
}

/** Reviewers that pull requests begin with: those who are named, and the owners of what is changed. */
export const reviewersExtension = ({ reviewers, requests, owners }: Deps): PullExtension<PreparedRequests> => ({
  key: 'reviewers',
  async prepare(input: unknown, { repository, baseBranch, paths, isDraft }: NewPullContext, actor: Actor) {
    const of = { repository, branch: baseBranch, posterId: actor.id };
    const named = await requestedBy((input ?? {}) as ReviewersInput, { ...of, askerId: actor.id }, reviewers);
    const found = isDraft ? [] : await owners.asked(of, paths);
    return { repository, asked: [...named, ...found] };
  },
  async apply({ repository, asked }: PreparedRequests, issue: Issue, _pull, actor) {
    if (asked.length) await requests.add(repository, issue, asked, actor.id);
  },
});
