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
import type { NewsMail } from '../api.js';
import type { ThreadPresenter } from '../services/present.js';
import type { Teller } from '../services/teller.js';
import { t } from '../texts/index.js';

export interface FollowDeps {
  readonly accounts: Pick<Accounts, 'byId' | 'ghost'>;
  readonly issues: Pick<Issues, 'byId' | 'byIds' | 'followersOf'>;
  readonly teller: Teller;
  readonly presenter: Pick<ThreadPresenter, 'merged'>;
}

const self = systemActor('notifications');

const nameOf = async (id: number, accounts: FollowDeps['accounts']): Promise<string> =>
  (await accounts.byId(id))?.name ?? accounts.ghost().login;

type Told = Extract<IssueAction, 'opened' | 'closed' | 'reopened'>;
const told: readonly IssueAction[] = ['opened', 'closed', 'reopened'] satisfies Told[];

/** Who is assigned with the opening hears of both at once. */
export const tellsOfIssue = ({ action, isOpening = false, mentionedIds = [] }: IssueEvent): boolean =>
  told.includes(action) || (action === 'assigned' && !isOpening) || (action === 'edited' && mentionedIds.length > 0);

/** What happens to an issue or a pull request is told to who follows it, and what concerns one person to that one. */
export async function followIssue(event: IssueEvent, deps: FollowDeps): Promise<void> {
  if (!tellsOfIssue(event)) return;
  const issue = await deps.issues.byId(event.issueId);
  if (issue) await tell(event, { issue }, deps);
}

/** The same of several: the issues and who follows them are read at once. */
export async function followIssues(
  events: readonly IssueEvent[],
  deps: FollowDeps,
): Promise<(event: IssueEvent) => Promise<void>> {
  const { issues } = deps;
  const found = await issues.byIds(events.filter(tellsOfIssue).map(({ issueId }) => issueId));
  const followers = await issues.followersOf([...found.values()]);
  return async (event) => {
    const issue = tellsOfIssue(event) ? found.get(event.issueId) : undefined;
    if (issue) await tell(event, { issue, followers: followers.get(issue.id)! }, deps);
  };
}

async function tell(
  event: IssueEvent,
  { issue, followers }: { readonly issue: Issue; readonly followers?: IssueFollowers },
  { accounts, presenter, teller }: FollowDeps,
): Promise<void> {
  const { action, actorId, assigneeId, assigneeIds = [], at, mentionedIds = [] } = event;
  const isTold = told.includes(action);
  const userIds = action === 'assigned' ? [assigneeId ?? 0] : mentionedIds;
  const actor = await nameOf(actorId, accounts);
  const kind = issue.isPull ? 'pull' : 'issue';
  const news = { about: { issue }, actorId, at, event: action } as const;
  if (!isTold)
    return teller.tell({
      ...news,
      userIds,
      reason: action === 'assigned' ? 'assigned' : 'mentioned',
      mail:
        action === 'assigned'
          ? { line: t.later(`mail.assigned.${kind}`, { actor }) }
          : { line: t.later('mail.mentioned', { actor }), text: issue.body },
    });
  const isMerged = action === 'closed' && issue.isPull && (await presenter.merged([issue], self)).size > 0;
  const mail: NewsMail =
    action === 'opened'
      ? {
          line: t.later(`mail.opened.${kind}`, { actor }),
          text: issue.body,
          isFirst: true,
          assignedLine: t.later(`mail.assigned.${kind}`, { actor }),
        }
      : { line: isMerged ? t.later('mail.merged', { actor }) : t.later(`mail.${action as Told}.${kind}`, { actor }) };
  return teller.tell({ ...news, mentionedIds, assigneeIds, mail }, followers);
}

export const tellsOfComment = ({ action, mentionedIds = [] }: CommentEvent): boolean =>
  action === 'created' || (action === 'edited' && mentionedIds.length > 0);

export async function followComment(
  event: CommentEvent,
  { accounts, issues, timeline, teller }: Omit<FollowDeps, 'presenter'> & { readonly timeline: Pick<Timeline, 'byId'> },
): Promise<void> {
  if (!tellsOfComment(event)) return;
  const { action, actorId, at, commentId, mentionedIds = [] } = event;
  const [issue, comment] = await Promise.all([issues.byId(event.issueId), timeline.byId(commentId)]);
  if (!issue || !comment) return;
  const actor = await nameOf(actorId, accounts);
  const line: Text = t.later(action === 'edited' ? 'mail.mentioned' : 'mail.commented', { actor });
  await teller.tell({
    about: { issue },
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
    teller,
  }: Pick<FollowDeps, 'accounts' | 'teller'> & {
    readonly releases: Pick<Releases, 'byId' | 'htmlUrl'>;
    readonly repositories: Pick<Repositories, 'byId'>;
    readonly repositoryMembers: Pick<RepositoryMembers, 'watchers'>;
  },
): Promise<void> {
  const [release, repository] = await Promise.all([releases.byId(releaseId), repositories.byId(repositoryId)]);
  if (!release || !repository || release.isDraft) return;
  const actor = await nameOf(actorId, accounts);
  const title = release.title || release.tagName;
  await teller.mail({
    about: { repositoryId },
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
  { accounts, teller }: Pick<FollowDeps, 'accounts' | 'teller'>,
): Promise<void> {
  const actor = await nameOf(actorId, accounts);
  await teller.tell({
    about: { repositoryId },
    actorId,
    at,
    userIds: [recipientId],
    reason: 'transfer',
    mail: { line: t.later('mail.transfer', { actor }) },
  });
}
