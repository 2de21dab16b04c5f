import type { IssueEvent } from '@mortise/issues/api';
import type { PullEvent } from '@mortise/pulls/api';
import type { ReviewEvent } from '@mortise/reviews/api';
import type { RuleEvent } from '../contract/fields.js';
import type { ProjectServices } from '../services/services.js';

interface Deps {
  readonly services: ProjectServices;
}

const issueActions: readonly string[] = ['opened', 'assigned', 'closed', 'reopened'] satisfies RuleEvent[];
export const movesCards = ({ action }: IssueEvent): boolean => issueActions.includes(action);

/** What happens to issues and pull requests moves their cards. */
export const moveByIssue = ({ action, issueId, actorId }: IssueEvent, { services }: Deps): Promise<void> =>
  services.rules.apply(action as RuleEvent, issueId, actorId);

/** A merge closes as well: the rule for merges comes after the one for closing, and so has the last word. */
export const moveByMerge = ({ issueId, actorId }: PullEvent, { services }: Deps): Promise<void> =>
  services.rules.apply('merged', issueId, actorId);

export const moveByReviewRequest = ({ issueId, actorId }: ReviewEvent, { services }: Deps): Promise<void> =>
  services.rules.apply('review_requested', issueId, actorId);
