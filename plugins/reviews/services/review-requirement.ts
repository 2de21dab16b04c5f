import type { BlockerLink, MergeBlocker, MergeRequirement, PullContext, Pulls } from '@mortise/pulls/api';
import type { Review } from '../contract/reviews.js';
import type { StalenessTracker } from './staleness.js';
import type { OfficialReviews } from './official-reviews.js';
import type { CodeOwners, OwnedRule } from './code-owners.js';
import type { Reviewers } from './reviewers.js';
import type { ReviewReader } from './review-reader.js';
import { t } from '../texts/index.js';

/** Option of a branch's rule: every conversation about lines must be resolved. Its field of the API as well. */
export const conversationsOption = 'block_on_unresolved_conversations';

/** Rules and lines that a message names. */
const maxNamed = 5;

interface RequirementDeps {
  readonly pulls: Pulls;
  readonly reader: ReviewReader;
  readonly reviewers: Reviewers;
  readonly official: OfficialReviews;
  readonly staleness: StalenessTracker;
  readonly owners: CodeOwners;
}

/** What the rule of the base branch asks of reviews. */
export class ReviewRequirement implements MergeRequirement {
  readonly key = 'reviews';
  readonly order = 20;

  constructor(private readonly deps: RequirementDeps) {}

  async blockers(context: PullContext): Promise<readonly MergeBlocker[]> {
    const { pull } = context;
    const { reader, reviewers, staleness, official } = this.deps;
    const rule = await reviewers.ruleFor(pull.repositoryId, pull.baseBranch);
    if (!rule) return [];
    const { opinions = [], requests = [] } = (await reader.summary([pull.issueId])).get(pull.issueId) ?? {};
    const minds = rule.ignoreStaleApprovals || rule.dismissStaleApprovals;
    const current = minds ? await staleness.update(pull, opinions, rule.dismissStaleApprovals) : opinions;
    const approvals = current.filter(
      ({ state, isDismissed, isStale }) =>
        state === 'approved' && !isDismissed && !(isStale && rule.ignoreStaleApprovals),
    );
    const blockers: MergeBlocker[] = [];
    const add = (code: string, message: MergeBlocker['message'], link?: BlockerLink) =>
      blockers.push({ code, message, isRequirement: true, ...(link && { link }) });
    const toReviewers = { path: '#reviewers', label: t.later('obstacle.show.reviewers') };
    const rejections = opinions.filter(({ state }) => state === 'rejected');
    const counted = await official.among(context, [...approvals, ...rejections]);
    const given = approvals.filter(({ id }) => counted.has(id)).length;
    if (given < rule.requiredApprovals)
      add(
        'approvals',
        t.later('obstacle.approvals', { given: String(given), required: String(rule.requiredApprovals) }),
        { path: '/files', label: t.later('obstacle.show.files') },
      );
    const rejection = rejections.find(({ id }) => counted.has(id));
    if (rule.blockOnRejectedReviews && rejection)
      add('rejected', t.later('obstacle.rejected'), {
        path: `#issuecomment-${rejection.entryId}`,
        label: t.later('obstacle.show.review'),
      });
    if (rule.blockOnOfficialReviewRequests && (await this.#waits(context, requests)))
      add('requests', t.later('obstacle.requests'), toReviewers);
    if (rule.blockOnCodeownerReviews)
      for (const message of await this.#ownerMessages(context, approvals)) add('codeowners', message, toReviewers);
    if (rule.options[conversationsOption]) {
      const open = await reader.openConversations(pull.issueId);
      if (open.length)
        add('conversations', t.later('obstacle.conversations', { count: open.length }), {
          path: `#issuecomment-${open[0]}`,
          label: t.later('obstacle.show.conversation'),
        });
    }
    return blockers;
  }

  async #waits({ repository, pull }: PullContext, requests: readonly Review[]): Promise<boolean> {
    const { reviewers } = this.deps;
    const users = requests.map(({ reviewerId }) => reviewerId).filter(Boolean);
    if ((await reviewers.officialAmong(repository, pull.baseBranch, users)).size > 0) return true;
    const teamIds = requests.map(({ teamId }) => teamId).filter(Boolean);
    const teams = teamIds.length ? await reviewers.teams?.byIds(teamIds) : undefined;
    for (const team of teams?.values() ?? [])
      if (await reviewers.isOfficialTeam(repository, pull.baseBranch, team)) return true;
    return false;
  }

  /** What code owners keep from being merged. */
  async #ownerMessages(context: PullContext, approvals: readonly Review[]): Promise<MergeBlocker['message'][]> {
    const { repository, pull } = context;
    const { pulls, owners } = this.deps;
    const changes = await pulls.changes(pull);
    const found = await owners.of(
      repository,
      changes.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path])),
    );
    if (found === 'unreadable') return [t.later('obstacle.codeowners.unreadable')];
    const mayReadCode = context.context.may('read', 'code');
    const messages: MergeBlocker['message'][] = [];
    if (found.faults.length) {
      const lines = found.faults.slice(0, maxNamed).map(({ line, pattern }) => `${line} (${pattern.slice(0, 80)})`);
      const numbers = found.faults.slice(0, maxNamed).map(({ line }) => String(line));
      messages.push(t.later('obstacle.codeowners.lines', { lines: (mayReadCode ? lines : numbers).join(', ') }));
    }
    const missing = await this.#unapproved(context, found.parts, approvals);
    if (missing.length)
      // patterns say what lies in the code
      messages.push(
        mayReadCode
          ? t.later('obstacle.codeowners', { rules: missing.slice(0, maxNamed).join(', ') })
          : t.later('obstacle.codeowners.hidden'),
      );
    return messages;
  }

  /** Patterns of rules none of whose owners has approved. */
  async #unapproved(context: PullContext, parts: readonly OwnedRule[], approvals: readonly Review[]) {
    const { pulls, reviewers } = this.deps;
    const { issue, pull } = context;
    const reviewerIds = approvals.map(({ reviewerId }) => reviewerId);
    const approvers = [...(await pulls.qualifiedApprovers(context, reviewerIds))];
    const members = new Map<number, Promise<Set<number>>>();
    const membersOf = (teamId: number) => {
      if (!members.has(teamId)) members.set(teamId, reviewers.teams!.membersAmong([teamId], approvers));
      return members.get(teamId)!;
    };
    const isMet = async ({ users, teams }: OwnedRule) => {
      if (users.some(({ id }) => approvers.includes(id))) return true;
      for (const { id } of approvers.length ? teams : []) if ((await membersOf(id)).size) return true;
      // nobody else could approve it, but others may have pushed to it
      const isOnlyOwner = teams.length === 0 && users.length === 1 && users[0]!.id === issue.posterId;
      return isOnlyOwner && (await pulls.isPushedOnlyBy(pull, issue.posterId));
    };
    const missing: string[] = [];
    for (const part of parts) if (!(await isMet(part))) missing.push(part.rule.pattern);
    return [...new Set(missing)];
  }
}
