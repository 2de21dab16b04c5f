import { systemActor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import type { Notifications } from '@mortise/notifications/api';
import type { Project, ProjectCardEvent, ProjectEvent } from '../api.js';
import type { ProjectServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** Why followers of boards are notified. */
export const followedReason = 'project_followed';

const siteActor = systemActor('projects');

interface Deps {
  readonly accounts: Pick<Accounts, 'byId' | 'ghost'>;
  readonly issues: Pick<Issues, 'byId'>;
  readonly notifications: Notifications;
  readonly services: ProjectServices;
}

const isFollowed = (projectId: number, { services }: Pick<Deps, 'services'>): boolean =>
  services.followers.mayBeFollowed(projectId);

/** Boards of repositories alone: a thread of the inbox is about something in a repository. */
export const notifiesOfBoard = ({ action, projectId, repositoryId }: ProjectEvent, deps: Deps): boolean =>
  (action === 'closed' || action === 'reopened') && repositoryId > 0 && isFollowed(projectId, deps);

/** New cards, and those that went to another column; not each place within one. */
export const notifiesOfCard = ({ action, columnId, fromColumnId, projectId }: ProjectCardEvent, deps: Deps): boolean =>
  (action === 'created' || (action === 'moved' && fromColumnId !== columnId)) && isFollowed(projectId, deps);

interface Followed {
  readonly project: Project;
  readonly userIds: readonly number[];
  /** Name of who did it. */
  readonly actor: string;
  readonly url: string;
}

/** Undefined: the board is gone, or nobody who follows it may see it. */
async function followed(
  { projectId, actorId }: ProjectEvent | ProjectCardEvent,
  { accounts, services }: Deps,
): Promise<Followed | undefined> {
  const project = await services.reader.byId(projectId);
  const userIds = project ? await services.followers.readers(project) : [];
  const place = project && (await services.places.ofProject(siteActor, project));
  if (!project || !place || !userIds.length) return undefined;
  const actor = (await accounts.byId(actorId))?.name ?? accounts.ghost().login;
  return { project, userIds, actor, url: services.presenter.htmlUrl(project, place) };
}

/** A board was closed or reopened: in the thread of its repository. */
export async function notifyOfBoard(event: ProjectEvent, deps: Deps): Promise<void> {
  const { action, actorId, at, projectId, repositoryId } = event;
  const found = await followed(event, deps);
  if (!found || (action !== 'closed' && action !== 'reopened')) return;
  const { actor, project, url, userIds } = found;
  await deps.notifications.tell({
    about: { repositoryId },
    unit: 'projects',
    actorId,
    at,
    userIds,
    reason: followedReason,
    event: `project-${projectId}-${action}`,
    mail: { line: t.later(`event.project.${action}`, { actor, project: project.title }), url },
  });
}

/** A card came or went to another column: in the one thread of its issue, to those who may read that. */
export async function notifyOfCard(event: ProjectCardEvent, deps: Deps): Promise<void> {
  const { action, actorId, at, columnId, issueId, projectId } = event;
  const issue = await deps.issues.byId(issueId);
  const found = issue && (await followed(event, deps));
  const column = found && (await deps.services.columns.find(projectId, columnId));
  if (!found || !column) return;
  const { actor, project, userIds } = found;
  const names = { actor, project: project.title, column: column.title };
  await deps.notifications.tell({
    about: { issue },
    actorId,
    at,
    userIds,
    reason: followedReason,
    event: `project-${projectId}-${columnId}`,
    mail: { line: t.later(action === 'created' ? 'mail.card.created' : 'mail.card.moved', names) },
  });
}
