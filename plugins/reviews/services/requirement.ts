import type { MergeObstacle, MergeRequirement, PullContext, Pulls } from '@mortise/pulls/api';
import type { Review } from '../api.js';
import type { Freshness } from './freshness.js';
import type { CodeOwners, OwnedPart } from './owners.js';
import type { Reviewers } from './people.js';
import type { ReviewReader } from './reader.js';
import { t } from '../texts/index.js';

/** What the rule of the base branch asks of reviews. */
export class ReviewRequirement implements MergeRequirement {
  readonly key = 'reviews';
  readonly order = 20;

  constructor(
    private readonly parts: {
      readonly pulls: Pulls;
      readonly reader: ReviewReader;
      readonly reviewers: Reviewers;
      readonly freshness: Freshness;
      readonly owners: CodeOwners;
    },
  ) {}

  async obstacles(context: PullContext): Promise<readonly MergeObstacle[]> {
    const { pull } = context;
    const { reader, reviewers, freshness } = this.parts;
    const rule = await reviewers.ruleFor(pull.repositoryId, pull.baseBranch);
    if (!rule) return [];
    const { opinions = [], requests = [] } = (await reader.summary([pull.issueId])).get(pull.issueId) ?? {};
    const minds = rule.ignoreStaleApprovals || rule.dismissStaleApprovals;
    const settled = minds ? await freshness.settle(pull, opinions, rule.dismissStaleApprovals) : opinions;
    const approvals = settled.filter(
      ({ state, isDismissed, isStale }) =>
        state === 'approved' && !isDismissed && !(isStale && rule.ignoreStaleApprovals),
    );
    const found: MergeObstacle[] = [];
    const add = (code: string, message: MergeObstacle['message']) => found.push({ code, message, isRequirement: true });
    const given = await this.#official(context, approvals);
    if (given < rule.requiredApprovals)
      add(
        'approvals',
        t.later('obstacle.approvals', { given: String(given), required: String(rule.requiredApprovals) }),
      );
    if (rule.blockOnRejectedReviews && opinions.some(({ state, isOfficial }) => state === 'rejected' && isOfficial))
      add('rejected', t.later('obstacle.rejected'));
    if (rule.blockOnOfficialReviewRequests && (await this.#waits(context, requests)))
      add('requests', t.later('obstacle.requests'));
    if (rule.blockOnCodeownerReviews) {
      const missing = await this.#unowned(context, approvals);
      if (missing === 'unreadable') add('codeowners', t.later('obstacle.codeowners.unreadable'));
      else if (missing.length)
        // patterns say what lies in the code
        add(
          'codeowners',
          context.context.may('read', 'code')
            ? t.later('obstacle.codeowners', { rules: missing.slice(0, 5).join(', ') })
            : t.later('obstacle.codeowners.hidden'),
        );
    }
    return found;
  }

  /** People whose approval counted when they gave it, and would count today. */
  async #official({ repository, pull }: PullContext, approvals: readonly Review[]): Promise<number> {
    const people = approvals.filter(({ isOfficial }) => isOfficial).map(({ reviewerId }) => reviewerId);
    return (await this.parts.reviewers.officialAmong(repository, pull.baseBranch, people)).size;
  }

  async #waits({ repository, pull }: PullContext, requests: readonly Review[]): Promise<boolean> {
    const { reviewers } = this.parts;
    const people = requests.map(({ reviewerId }) => reviewerId).filter(Boolean);
    if ((await reviewers.officialAmong(repository, pull.baseBranch, people)).size > 0) return true;
    const teamIds = requests.map(({ teamId }) => teamId).filter(Boolean);
    const teams = teamIds.length ? await reviewers.teams?.byIds(teamIds) : undefined;
    for (const team of teams?.values() ?? [])
      if (await reviewers.isOfficialTeam(repository, pull.baseBranch, team)) return true;
    return false;
  }

  /** Patterns of rules none of whose owners has approved. */
  async #unowned({ repository, pull, issue }: PullContext, approvals: readonly Review[]) {
    const { pulls, owners } = this.parts;
    const changes = await pulls.changes(pull);
    const found = await owners.of(
      repository,
      changes.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path])),
    );
    if (found === 'unreadable') return found;
    const approvers = [...new Set(approvals.map(({ reviewerId }) => reviewerId))];
    const members = new Map<number, Promise<Set<number>>>();
    const membersOf = (teamId: number) => {
      if (!members.has(teamId)) members.set(teamId, this.parts.reviewers.teams!.membersAmong([teamId], approvers));
      return members.get(teamId)!;
    };
    const isMet = async ({ people, teams, rule }: OwnedPart) => {
      // nobody else could approve it
      if (rule.owners.length === 1 && people.length === 1 && people[0]!.id === issue.posterId) return true;
      if (people.some(({ id }) => approvers.includes(id))) return true;
      for (const { id } of approvers.length ? teams : []) if ((await membersOf(id)).size) return true;
      return false;
    };
    const missing: string[] = [];
    for (const part of found.parts) if (!(await isMet(part))) missing.push(part.rule.pattern);
    return [...new Set(missing)];
  }
}
