import type { Accounts } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import type { Notifications } from '@mortise/notifications/api';
import type { PullEvent } from '@mortise/pulls/api';
import type { ReviewEvent } from '../api.js';
import { answerKind } from '../services/mail-answers.js';
import type { ReviewServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** Members of a team that hear of a request. */
const maxMembers = 1000;

interface NotifyDeps {
  readonly accounts: Accounts;
  readonly issues: Issues;
  readonly notifications: Notifications;
  readonly reviewServices: ReviewServices;
}

/** Who is asked hears of it, and who follows a pull request of what is said about it. */
export async function notifyOfReview(
  event: ReviewEvent,
  { accounts, issues, notifications, reviewServices }: NotifyDeps,
): Promise<void> {
  const { action, state, actorId, at, body, reviewerId, teamId, entryId, commentId, mentionedIds = [] } = event;
  const isMention = action === 'comment_edited' && mentionedIds.length > 0;
  if (action !== 'requested' && action !== 'submitted' && action !== 'replied' && !isMention) return;
  const issue = await issues.byId(event.issueId);
  if (!issue) return;
  const actor = (await accounts.byId(actorId))?.name ?? accounts.ghost().login;
  const news = { subject: { issue }, actorId, at, event: `${action}/${event.reviewId}` } as const;
  if (action === 'requested') {
    const team = teamId
      ? await reviewServices.reviewers.teams?.members(teamId, { limit: maxMembers, offset: 0 })
      : undefined;
    const userIds = teamId ? (team?.items ?? []).map(({ id }) => id) : [reviewerId];
    const mail = { line: t.later('mail.requested', { actor }) };
    return notifications.notify({ ...news, userIds, reason: 'review_requested', mail });
  }
  if (isMention) {
    const mail = {
      line: t.later('mail.comment', { actor }),
      ...(body && { text: body, textUnit: 'code' }),
      ...(commentId && { answers: { kind: answerKind, id: commentId } }),
    };
    return notifications.notify({ ...news, userIds: mentionedIds, reason: 'mentioned', commentId: entryId, mail });
  }
  const word = action === 'replied' || state === 'pending' || state === 'request' ? 'comment' : state;
  const mail = {
    line: t.later(`mail.${word}`, { actor }),
    ...(action === 'replied' && commentId && { answers: { kind: answerKind, id: commentId } }),
    ...(body && { text: body, ...(action === 'replied' && { textUnit: 'code' }) }),
  };
  return notifications.notify({ ...news, ...(entryId && { commentId: entryId }), mentionedIds, mail });
}

/** Who follows a pull request hears of what is pushed to it. */
export async function notifyOfPush(
  { action, actorId, at, issueId, after, isForced }: PullEvent,
  { accounts, issues, notifications }: Omit<NotifyDeps, 'reviewServices'>,
): Promise<void> {
  if (action !== 'synchronized') return;
  const issue = await issues.byId(issueId);
  if (!issue) return;
  const actor = (await accounts.byId(actorId))?.name ?? accounts.ghost().login;
  const line = t.later(isForced ? 'mail.forced' : 'mail.pushed', { actor });
  await notifications.notify({
    subject: { issue },
    actorId,
    at,
    event: `pushed/${after?.slice(0, 40)}`,
    mail: { line },
  });
}
