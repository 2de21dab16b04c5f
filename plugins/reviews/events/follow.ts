import type { Database } from '@mortise/plugin-sdk';
import type { RefsUpdated } from '@mortise/git/api';
import type { IssueEvent, Issues } from '@mortise/issues/api';
import type { PullEvent, PullRequest, Pulls } from '@mortise/pulls/api';
import { ReviewRow } from '../models/review.js';
import type { DifferenceMarks } from '../services/staleness.js';
import type { ReviewServices } from '../services/services.js';
import { appliedFact } from '../services/suggestions.js';

interface Deps {
  readonly pulls: Pulls;
  readonly reviewServices: ReviewServices;
}

/** The head has moved, or the base is another: opinions may be stale, comments stand elsewhere, others own what changes. */
export async function followPull({ action, issueId }: PullEvent, { pulls, reviewServices }: Deps): Promise<void> {
  if (action !== 'synchronized' && action !== 'retargeted') return;
  const pull = await pulls.byIssueId(issueId);
  if (!pull || pull.isMerged) return;
  await followHead(pull, reviewServices);
  await reviewServices.lineTracker.track(pull);
  await reviewServices.ownerRequests.follow(pull);
}

async function followHead(pull: PullRequest, { reader, reviewers, staleness }: ReviewServices): Promise<void> {
  const rule = await reviewers.ruleFor(pull.repositoryId, pull.baseBranch);
  const marks: DifferenceMarks = new Map();
  for await (const some of reader.sent(pull.issueId))
    await staleness.update(pull, some, rule?.dismissStaleApprovals ?? false, marks);
}

/** Work that was a draft is ready: its owners are asked. */
export const movesTitle = ({ action, isPull, before }: IssueEvent): boolean =>
  isPull && (action === 'reopened' || before?.title !== undefined);

export async function followTitle(changed: IssueEvent, { pulls, reviewServices }: Deps): Promise<void> {
  if (!movesTitle(changed)) return;
  const pull = await pulls.byIssueId(changed.issueId);
  if (pull) await reviewServices.ownerRequests.follow(pull);
}

/** A person goes: nobody waits for them, and nobody else ever saw what they had not sent. */
export async function forgetUser(
  { userId }: { readonly userId: number },
  { database }: { readonly database: Database },
): Promise<void> {
  await database.query(ReviewRow).delete().where('reviewer_id', userId).whereIn('state', ['pending', 'request']);
}

/** What a commit applies is settled in the transaction of the reference. */
export async function resolveApplied(
  moved: RefsUpdated,
  { issues, reviewServices }: { readonly issues: Issues; readonly reviewServices: ReviewServices },
): Promise<void> {
  const applied = appliedFact.of(moved);
  if (!applied) return;
  const { comments, reader } = reviewServices;
  for (const comment of await reader.commentsByIds(applied.commentIds)) {
    const issue = await issues.byId(comment.issueId);
    if (issue) await comments.resolve(issue, comment, true, { id: applied.actorId });
  }
}
