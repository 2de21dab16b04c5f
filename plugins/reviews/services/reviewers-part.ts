import type { Issue } from '@mortise/issues/api';
import type { NewPullContext, PullPart } from '@mortise/pulls/api';
import type { Actor } from '@mortise/plugin-sdk';
import type { OwnerRequests } from './owner-requests.js';
import type { Reviewers } from './people.js';
import type { Asked, ReviewRequests } from './requests.js';
import type { Repository } from '@mortise/repositories/api';

/** What a new pull request names: `parts.reviewers`. */
export interface ReviewersWish {
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
}

interface Deps {
  readonly reviewers: Reviewers;
  readonly requests: ReviewRequests;
  readonly owners: OwnerRequests;
}

/** Those who are named, as far as they can be asked: NotFound for who does not exist, Invalid for who cannot review. */
export async function askedBy(
  { users = [], teams = [] }: ReviewersWish,
  of: {
    readonly repository: Repository;
    readonly branch: string;
    readonly posterId: number;
    /** Who asks. */
    readonly askerId: number;
  },
  reviewers: Reviewers,
): Promise<Asked[]> {
  const people = await reviewers.people(users);
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
  const asked: Asked[] = ids.map((userId) => ({ userId, isOfficial: official.has(userId) }));
  for (const team of groups)
    asked.push({ teamId: team.id, isOfficial: await reviewers.isOfficialTeam(of.repository, of.branch, team) });
  return asked;
}

interface Prepared {
  readonly repository: Repository;
  readonly asked: readonly Asked[];
}

/** Reviewers that pull requests begin with: those who are named, and the owners of what is changed. */
export const reviewersPart = ({ reviewers, requests, owners }: Deps): PullPart<Prepared> => ({
  key: 'reviewers',
  async prepare(wish: unknown, { repository, baseBranch, paths, isDraft }: NewPullContext, actor: Actor) {
    const of = { repository, branch: baseBranch, posterId: actor.id };
    const named = await askedBy((wish ?? {}) as ReviewersWish, { ...of, askerId: actor.id }, reviewers);
    const found = isDraft ? [] : await owners.asked(of, paths);
    return { repository, asked: [...named, ...found] };
  },
  async apply({ repository, asked }: Prepared, issue: Issue, _pull, actor) {
    if (asked.length) await requests.add(repository, issue, asked, actor.id);
  },
});
