import type { Issues } from '@mortise/issues/api';
import type { PullRequest, Pulls } from '@mortise/pulls/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { CodeOwners } from './code-owners.js';
import type { Reviewers } from './reviewers.js';
import type { ReviewReader } from './review-reader.js';
import type { RequestedReviewer, ReviewRequests } from './review-requests.js';

/** People and teams that one change asks at most. */
const maxAsked = 100;

/** Asks the owners of what is changed. */
export class OwnerRequests {
  constructor(
    private readonly deps: {
      readonly pulls: Pulls;
      readonly issues: Issues;
      readonly repositories: Repositories;
      readonly reader: ReviewReader;
      readonly reviewers: Reviewers;
      readonly owners: CodeOwners;
      readonly requests: ReviewRequests;
    },
  ) {}

  /** Those who own one of the paths and can review it. */
  async asked(
    of: { readonly repository: Repository; readonly branch: string; readonly posterId: number },
    paths: readonly string[],
  ): Promise<RequestedReviewer[]> {
    const { owners, reviewers } = this.deps;
    const found = await owners.of(of.repository, paths);
    if (found === 'unreadable' || found.parts.length === 0) return [];
    const users = new Map(found.parts.flatMap((part) => part.users.map((one) => [one.id, one] as const)));
    const teams = new Map(found.parts.flatMap((part) => part.teams.map((one) => [one.id, one] as const)));
    const asked: RequestedReviewer[] = [];
    const official = await reviewers.officialAmong(of.repository, of.branch, [...users.keys()]);
    const some = [...users.values()].slice(0, maxAsked);
    const problems = await reviewers.problems(some, of.repository, { posterId: of.posterId, askerIds: [] });
    for (const { id } of some) if (!problems.has(id)) asked.push({ userId: id, isOfficial: official.has(id) });
    for (const team of [...teams.values()].slice(0, maxAsked))
      if (!(await reviewers.teamProblem(team, of.repository)))
        asked.push({ teamId: team.id, isOfficial: await reviewers.isOfficialTeam(of.repository, of.branch, team) });
    return asked;
  }

  /** What changes by now may belong to others: those are asked who are not, and have not reviewed it. */
  async follow(pull: PullRequest): Promise<void> {
    if (!pull.isOpen || pull.isDraft) return;
    const { issues, repositories, pulls, reader, requests } = this.deps;
    const [issue, repository] = await Promise.all([issues.byId(pull.issueId), repositories.byId(pull.repositoryId)]);
    if (!issue || !repository) return;
    const changes = await pulls.changes(pull);
    const paths = changes.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path]));
    const asked = await this.asked({ repository, branch: pull.baseBranch, posterId: issue.posterId }, paths);
    if (asked.length === 0) return;
    const { opinions = [] } = (await reader.summary([issue.id])).get(issue.id) ?? {};
    const heard = new Set(opinions.map(({ reviewerId }) => reviewerId));
    await requests.add(
      repository,
      issue,
      asked.filter(({ userId }) => !userId || !heard.has(userId)),
      issue.posterId,
    );
  }
}
