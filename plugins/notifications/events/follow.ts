import { systemActor, type Text } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type {
  CommentEvent,
  Issue,
  IssueAction,
  IssueEvent,
  IssueFollowers,
  Issues,
  Timeline,
} from '@mortise/issues/api';
import type { ReleaseEvent, Releases } from '@mortise/releases/api';
import type { Repositories, RepositoryMembers } from '@mortise/repositories/api';
import type { NotificationMail } from '../contract/notifications.js';
import type { ThreadPresenter } from '../services/thread-presenter.js';
import type { Notifier } from '../services/notifier.js';
import { t } from '../texts/index.js';

interface FollowDeps {
  readonly accounts: Pick<Accounts, 'byId' | 'ghost'>;
  readonly issues: Pick<Issues, 'byId' | 'byIds' | 'followersOf'>;
  readonly notifier: Notifier;
  readonly presenter: Pick<ThreadPresenter, 'merged'>;
}

const self = systemActor('notifications');

const nameOf = async (id: number, accounts: FollowDeps['accounts']): Promise<string> =>
  (await accounts.byId(id))?.name ?? accounts.ghost().login;

type NotifiedAction = Extract<IssueAction, 'opened' | 'closed' | 'reopened'>;
const notifiedActions: readonly IssueAction[] = ['opened', 'closed', 'reopened'] satisfies NotifiedAction[];

/** Who is assigned with the opening hears of both at once. */
export const notifiesOfIssue = ({ action, isOpening = false, mentionedIds = [] }: IssueEvent): boolean =>
  notifiedActions.includes(action) ||
  (action === 'assigned' && !isOpening) ||
  (action === 'edited' && mentionedIds.length > 0);

/** What happens to an issue or a pull request is told to who follows it, and what concerns one person to that one. */
export async function followIssue(event: IssueEvent, deps: FollowDeps): Promise<void> {
  if (!notifiesOfIssue(event)) return;
  const issue = await deps.issues.byId(event.issueId);
  if (issue) await notify(event, { issue }, deps);
}

/** The same of several: the issues and who follows them are read at once. */
export async function followIssues(
  events: readonly IssueEvent[],
  deps: FollowDeps,
): Promise<(event: IssueEvent) => Promise<void>> {
  const { issues } = deps;
  const issuesById = await issues.byIds(events.filter(notifiesOfIssue).map(({ issueId }) => issueId));
  const followers = await issues.followersOf([...issuesById.values()]);
  return async (event) => {
    const issue = notifiesOfIssue(event) ? issuesById.get(event.issueId) : undefined;
    if (issue) await notify(event, { issue, followers: followers.get(issue.id)! }, deps);
  };
}

async function notify(
  event: IssueEvent,
  { issue, followers }: { readonly issue: Issue; readonly followers?: IssueFollowers },
  { accounts, presenter, notifier }: FollowDeps,
): Promise<void> {
  const { action, actorId, assigneeId, assigneeIds = [], at, mentionedIds = [] } = event;
  const notifiesFollowers = notifiedActions.includes(action);
  const userIds = action === 'assigned' ? [assigneeId ?? 0] : mentionedIds;
  const actor = await nameOf(actorId, accounts);
  const kind = issue.isPull ? 'pull' : 'issue';
  const request = { subject: { issue }, actorId, at, event: action } as const;
  if (!notifiesFollowers)
    return notifier.notify({
      ...request,
      userIds,
      reason: action === 'assigned' ? 'assigned' : 'mentioned',
      mail:
        action === 'assigned'
          ? { line: t.later(`mail.assigned.${kind}`, { actor }) }
          : { line: t.later('mail.mentioned', { actor }), text: issue.body },
    });
  const isMerged = action === 'closed' && issue.isPull && (await presenter.merged([issue], self)).size > 0;
  const mail: NotificationMail =
    action === 'opened'
      ? {
          line: t.later(`mail.opened.${kind}`, { actor }),
          text: issue.body,
          isFirst: true,
          assignedLine: t.later(`mail.assigned.${kind}`, { actor }),
        }
      : {
          line: isMerged
            ? t.later('mail.merged', { actor })
            : t.later(`mail.${action as NotifiedAction}.${kind}`, { actor }),
        };
  return notifier.notify({ ...request, mentionedIds, assigneeIds, mail }, followers);
}

export const notifiesOfComment = ({ action, mentionedIds = [] }: CommentEvent): boolean =>
  action === 'created' || (action === 'edited' && mentionedIds.length > 0);

export async function followComment(
  event: CommentEvent,
  {
    accounts,
    issues,
    timeline,
    notifier,
  }: Omit<FollowDeps, 'presenter'> & { readonly timeline: Pick<Timeline, 'byId'> },
): Promise<void> {
  if (!notifiesOfComment(event)) return;
  const { action, actorId, at, commentId, mentionedIds = [] } = event;
  const [issue, comment] = await Promise.all([issues.byId(event.issueId), timeline.byId(commentId)]);
  if (!issue || !comment) return;
  const actor = await nameOf(actorId, accounts);
  const line: Text = t.later(action === 'edited' ? 'mail.mentioned' : 'mail.commented', { actor });
  await notifier.notify({
    subject: { issue },
    actorId,
    at,
    event: action,
    commentId,
    mentionedIds,
    ...(action === 'edited' && { userIds: mentionedIds }),
    mail: { line, text: comment.body },
  });
}

/** A release is told by mail to who watches the repository. */
export async function followRelease(
  { actorId, at, releaseId, repositoryId }: ReleaseEvent,
  {
    accounts,
    releases,
    repositories,
    repositoryMembers,
    notifier,
  }: Pick<FollowDeps, 'accounts' | 'notifier'> & {
    readonly releases: Pick<Releases, 'byId' | 'htmlUrl'>;
    readonly repositories: Pick<Repositories, 'byId'>;
    readonly repositoryMembers: Pick<RepositoryMembers, 'watchers'>;
  },
): Promise<void> {
  const [release, repository] = await Promise.all([releases.byId(releaseId), repositories.byId(repositoryId)]);
  if (!release || !repository || release.isDraft) return;
  const actor = await nameOf(actorId, accounts);
  const title = release.title || release.tagName;
  await notifier.mail({
    subject: { repositoryId },
    unit: 'releases',
    actorId,
    at,
    userIds: await repositoryMembers.watchers(repositoryId),
    reason: 'watching',
    mail: {
      line: t.later('mail.released', { actor, title }),
      text: release.note,
      url: releases.htmlUrl(repository, release),
    },
  });
}

/** Whom a repository is offered to hears of it. */
export async function followTransfer(
  {
    repositoryId,
    actorId,
    recipientId,
    at,
  }: { readonly repositoryId: number; readonly actorId: number; readonly recipientId: number; readonly at: number },
  { accounts, notifier }: Pick<FollowDeps, 'accounts' | 'notifier'>,
): Promise<void> {
  const actor = await nameOf(actorId, accounts);
  await notifier.notify({
    subject: { repositoryId },
    actorId,
    at,
    userIds: [recipientId],
    reason: 'transfer',
    mail: { line: t.later('mail.transfer', { actor }) },
  });
}
