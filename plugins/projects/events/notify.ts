import { defineJob, definePoint, systemActor, type Jobs } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import type { Notifications } from '@mortise/notifications/api';
import type { Project } from '../contract/projects.js';
import type { ProjectCardEvent, ProjectEvent } from '../contract/events.js';
import { projectSubject } from '../services/account-subjects.js';
import type { ProjectServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** Why subscribers of boards are notified. */
export const subscribedReason = 'project_followed';

/** Notifies the subscribers behind those who were notified already. */
export const notifyMoreSubscribers = defineJob<{
  readonly after: number;
  readonly project?: ProjectEvent;
  readonly card?: ProjectCardEvent;
}>('projects.notifyMoreSubscribers');

/** Notifications, where there are any. */
export const projectNotifications = definePoint.one<Notifications>('projects.notifications');

const siteActor = systemActor('projects');

export interface NotifyDeps {
  readonly accounts: Pick<Accounts, 'byId' | 'ghost'>;
  readonly issues: Pick<Issues, 'byId'>;
  readonly jobs: Jobs;
  readonly notifications: Notifications;
  readonly services: ProjectServices;
}

const mayHaveSubscribers = (projectId: number, { services }: Pick<NotifyDeps, 'services'>): boolean =>
  services.subscriptions.mayHaveSubscribers(projectId);

export const notifiesOfProject = ({ action, projectId }: ProjectEvent, deps: NotifyDeps): boolean =>
  (action === 'closed' || action === 'reopened') && mayHaveSubscribers(projectId, deps);

/** New cards, and those that went to another column; not each position within one. */
export const notifiesOfCard = (
  { action, columnId, fromColumnId, projectId }: ProjectCardEvent,
  deps: NotifyDeps,
): boolean =>
  (action === 'created' || (action === 'moved' && fromColumnId !== columnId)) && mayHaveSubscribers(projectId, deps);

interface Audience {
  readonly project: Project;
  readonly userIds: readonly number[];
  /** Where the subscribers behind these begin; undefined: there are no more. */
  readonly next: number | undefined;
  /** Name of who did it. */
  readonly actor: string;
  readonly url: string;
}

/** Some of the subscribers; undefined: the board is gone, or has none. */
async function audienceOf(
  { projectId, actorId }: ProjectEvent | ProjectCardEvent,
  after: number,
  { accounts, services }: NotifyDeps,
): Promise<Audience | undefined> {
  const project = await services.reader.byId(projectId);
  const batch = project && (await services.subscriptions.batch(project, after));
  if (!batch || (!batch.userIds.length && batch.next === undefined)) return undefined;
  const scope = await services.scopes.ofProject(siteActor, project);
  if (!scope) return undefined;
  const actor = (await accounts.byId(actorId))?.name ?? accounts.ghost().login;
  return { ...batch, project, actor, url: services.presenter.htmlUrl(project, scope) };
}

/** A board was closed or reopened: in the thread of its repository, or in one of its own where an account has it. */
export async function notifyOfProject(event: ProjectEvent, deps: NotifyDeps, after = 0): Promise<void> {
  const { action, actorId, at, projectId, repositoryId } = event;
  const audience = await audienceOf(event, after, deps);
  if (!audience || (action !== 'closed' && action !== 'reopened')) return;
  const { actor, next, project, url, userIds } = audience;
  if (userIds.length)
    await deps.notifications.notify({
      ...(repositoryId
        ? { subject: { repositoryId }, unit: 'projects' }
        : { subject: { kind: projectSubject, id: projectId } }),
      actorId,
      at,
      userIds,
      reason: subscribedReason,
      event: `project-${projectId}-${action}`,
      mail: { line: t.later(`event.project.${action}`, { actor, project: project.title }), url },
    });
  if (next !== undefined) await deps.jobs.enqueue(notifyMoreSubscribers, { after: next, project: event });
}

/** A card came or went to another column: in the one thread of its issue, to those who may read that. */
export async function notifyOfCard(event: ProjectCardEvent, deps: NotifyDeps, after = 0): Promise<void> {
  const { action, actorId, at, columnId, issueId, projectId } = event;
  const issue = await deps.issues.byId(issueId);
  const audience = issue && (await audienceOf(event, after, deps));
  const column = audience && (await deps.services.columns.find(projectId, columnId));
  if (!audience || !column) return;
  const { actor, next, project, userIds } = audience;
  const names = { actor, project: project.title, column: column.title };
  if (userIds.length)
    await deps.notifications.notify({
      subject: { issue },
      actorId,
      at,
      userIds,
      reason: subscribedReason,
      event: `project-${projectId}-${columnId}`,
      mail: { line: t.later(action === 'created' ? 'mail.card.created' : 'mail.card.moved', names) },
    });
  if (next !== undefined) await deps.jobs.enqueue(notifyMoreSubscribers, { after: next, card: event });
}
