import { channelKinds, database, events, jobs, type PluginHost } from '@mortise/plugin-sdk';
import { accounts, userDeleting } from '@mortise/accounts/api';
import { activityEventKinds, activityModels, activityEvents } from '@mortise/activity-events/api';
import { issueChanged, issues, issuesDeleting } from '@mortise/issues/api';
import { pullChanged } from '@mortise/pulls/api';
import { accountActivityAccess } from '@mortise/activity/api';
import {
  notificationReasons,
  notifications,
  notificationSubjects,
  type Notifications,
} from '@mortise/notifications/api';
import { repositories, repositoryRenamed } from '@mortise/repositories/api';
import { reviewChanged } from '@mortise/reviews/api';
import * as api from '../api.js';
import type { ProjectCardEvent, ProjectEvent } from '../contract/events.js';
import { accountActivity, projectSubject, projectSubjects } from '../services/account-subjects.js';
import { projectOrganizations, projectServices } from '../services/services.js';
import { t } from '../texts/index.js';
import { recordCard, recordColumn, recordProject, cardKind, columnKind, projectKind } from './activity-events.js';
import { deleteOfAccount, leaveOwnerProjects, removeDeletedIssues } from './removals.js';
import { projectUpdates, changesCards, refreshProjectsOfIssue, refreshOpenPages } from './live.js';
import {
  notifiesOfCard,
  notifiesOfProject,
  notifyMoreSubscribers,
  notifyOfCard,
  notifyOfProject,
  projectNotifications,
  subscribedReason,
  type NotifyDeps,
} from './notify.js';
import { moveByIssue, moveByMerge, moveByReviewRequest, movesCards } from './rules.js';

const ownServices = { services: projectServices } as const;

/** Webhooks, feeds and chats hear of boards. */
function registerActivityEvents(host: PluginHost): void {
  const organizationPoint = host.point(projectOrganizations);
  const eventDeps = {
    models: activityModels,
    issues,
    repositories,
    services: projectServices,
  } as const;
  const kindDeps = { organizations: () => organizationPoint.list()[0] };
  host.contribute(activityEventKinds, eventDeps, (deps) => projectKind({ ...deps, ...kindDeps }));
  host.contribute(activityEventKinds, eventDeps, (deps) => columnKind({ ...deps, ...kindDeps }));
  host.contribute(activityEventKinds, eventDeps, (deps) => cardKind({ ...deps, ...kindDeps }));
  host.on(api.projectChanged, 'within', 'record', { activityEvents }, recordProject);
  host.on(api.projectColumnChanged, 'within', 'record-column', { activityEvents }, recordColumn);
  host.on(api.projectCardChanged, 'within', 'record-card', { activityEvents }, recordCard);
}

const forgetThreads = ({ projectId }: ProjectEvent, deps: { readonly notifications: Notifications }): Promise<void> =>
  deps.notifications.forgetSubjects(projectSubject, [projectId]);

/** Who has subscribed to a board is notified of it. */
function registerNotifications(host: PluginHost): void {
  const point = host.point(projectNotifications);
  host.whenPresent('notifications', () => {
    const deps = { ...ownServices, accounts, issues, jobs, notifications } as const;
    host.contribute(projectNotifications, { notifications }, (services) => services.notifications);
    host.contribute(notificationReasons, { key: subscribedReason, label: t.later('reason.followed') });
    host.contribute(notificationSubjects, ownServices, ({ services }) => projectSubjects(services));
    host.on(api.projectChanged, 'within', 'forget-threads', { notifications }, forgetThreads, {
      wants: ({ action }) => action === 'deleted',
    });
    const ofProject = (event: ProjectEvent, services: NotifyDeps) => notifyOfProject(event, services);
    const ofCard = (event: ProjectCardEvent, services: NotifyDeps) => notifyOfCard(event, services);
    host.on(api.projectChanged, 'after', 'notify-followers', deps, ofProject, { wants: notifiesOfProject });
    host.on(api.projectCardChanged, 'after', 'notify-followers-of-card', deps, ofCard, { wants: notifiesOfCard });
  });
  const deps = { ...ownServices, accounts, issues, jobs } as const;
  host.job(notifyMoreSubscribers, {}, deps, async ({ after, project, card }, services) => {
    const [found] = point.list();
    if (!found) return;
    if (project) await notifyOfProject(project, { ...services, notifications: found }, after);
    if (card) await notifyOfCard(card, { ...services, notifications: found }, after);
  });
}

/** What boards hear of others, and who hears of boards. */
export function registerEvents(host: PluginHost): void {
  registerActivityEvents(host);
  registerNotifications(host);
  const notificationPoint = host.point(projectNotifications);
  host.on(userDeleting, 'within', 'delete-boards', ownServices, ({ userId }, { services }) =>
    deleteOfAccount(userId, { services, notifications: notificationPoint.list()[0] }),
  );
  host.whenPresent('activity', () =>
    host.contribute(accountActivityAccess, { ...ownServices, accounts }, (deps) =>
      accountActivity(deps.services, deps.accounts),
    ),
  );
  host.on(issuesDeleting, 'within', 'remove-cards', { database, events }, removeDeletedIssues);
  host.contribute(channelKinds, ownServices, projectUpdates);
  host.on(api.projectChanged, 'within', 'refresh-pages', ownServices, refreshOpenPages);
  host.on(api.projectColumnChanged, 'within', 'refresh-pages-of-column', ownServices, refreshOpenPages);
  host.on(api.projectCardChanged, 'within', 'refresh-pages-of-card', ownServices, refreshOpenPages);
  host.on(issueChanged, 'within', 'move-cards', ownServices, moveByIssue, { wants: movesCards });
  host.on(issueChanged, 'within', 'refresh-boards', ownServices, refreshProjectsOfIssue, { wants: changesCards });
  host.whenPresent('pulls', () =>
    host.on(pullChanged, 'within', 'move-merged', ownServices, moveByMerge, {
      wants: ({ action }) => action === 'merged',
    }),
  );
  host.whenPresent('reviews', () =>
    host.on(reviewChanged, 'within', 'move-asked', ownServices, moveByReviewRequest, {
      wants: ({ action }) => action === 'requested',
    }),
  );
  host.on(repositoryRenamed, 'within', 'leave-boards', { database, events, repositories }, leaveOwnerProjects);
}
