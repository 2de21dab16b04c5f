import { channelKinds, database, events, type PluginHost } from '@mortise/plugin-sdk';
import { accounts, userDeleting } from '@mortise/accounts/api';
import { announcementKinds, announcementModels, announcements } from '@mortise/announcements/api';
import { issueChanged, issues, issuesDeleting } from '@mortise/issues/api';
import { pullChanged } from '@mortise/pulls/api';
import { notificationReasons, notifications } from '@mortise/notifications/api';
import { repositories, repositoryRenamed } from '@mortise/repositories/api';
import { reviewChanged } from '@mortise/reviews/api';
import * as api from '../api.js';
import { projectOrganizations, projectServices } from '../services/services.js';
import { t } from '../texts/index.js';
import { announceCard, announceColumn, announceProject, cardKind, columnKind, projectKind } from './announce.js';
import { deleteOfAccount, leaveOwnerBoards, removeDeletedIssues } from './follow.js';
import { boardUpdates, changesCards, refreshBoardsOfIssue, refreshOpenPages } from './live.js';
import { followedReason, notifiesOfBoard, notifiesOfCard, notifyOfBoard, notifyOfCard } from './notify.js';
import { moveByIssue, moveByMerge, moveByReviewRequest, movesCards } from './rules.js';

const own = { services: projectServices } as const;

/** Webhooks, feeds and chats hear of boards. */
function registerAnnouncements(host: PluginHost): void {
  const organizationPoint = host.point(projectOrganizations);
  const announced = {
    models: announcementModels,
    issues,
    repositories,
    services: projectServices,
  } as const;
  const kindDeps = { organizations: () => organizationPoint.list()[0] };
  host.contribute(announcementKinds, announced, (deps) => projectKind({ ...deps, ...kindDeps }));
  host.contribute(announcementKinds, announced, (deps) => columnKind({ ...deps, ...kindDeps }));
  host.contribute(announcementKinds, announced, (deps) => cardKind({ ...deps, ...kindDeps }));
  host.on(api.projectChanged, 'within', 'announce', { announcements }, announceProject);
  host.on(api.projectColumnChanged, 'within', 'announce-column', { announcements }, announceColumn);
  host.on(api.projectCardChanged, 'within', 'announce-card', { announcements }, announceCard);
}

/** Who follows a board is notified of it. */
function registerNotifications(host: PluginHost): void {
  host.whenPresent('notifications', () => {
    const deps = { ...own, accounts, issues, notifications } as const;
    host.contribute(notificationReasons, { key: followedReason, label: t.later('reason.followed') });
    host.on(api.projectChanged, 'after', 'notify-followers', deps, notifyOfBoard, { wants: notifiesOfBoard });
    host.on(api.projectCardChanged, 'after', 'notify-followers-of-card', deps, notifyOfCard, {
      wants: notifiesOfCard,
    });
  });
}

/** What boards hear of others, and who hears of boards. */
export function registerEvents(host: PluginHost): void {
  registerAnnouncements(host);
  registerNotifications(host);
  host.on(userDeleting, 'within', 'delete-boards', own, deleteOfAccount);
  host.on(issuesDeleting, 'within', 'remove-cards', { database, events }, removeDeletedIssues);
  host.contribute(channelKinds, own, boardUpdates);
  host.on(api.projectChanged, 'within', 'refresh-pages', own, refreshOpenPages);
  host.on(api.projectColumnChanged, 'within', 'refresh-pages-of-column', own, refreshOpenPages);
  host.on(api.projectCardChanged, 'within', 'refresh-pages-of-card', own, refreshOpenPages);
  host.on(issueChanged, 'within', 'move-cards', own, moveByIssue, { wants: movesCards });
  host.on(issueChanged, 'within', 'refresh-boards', own, refreshBoardsOfIssue, { wants: changesCards });
  host.whenPresent('pulls', () =>
    host.on(pullChanged, 'within', 'move-merged', own, moveByMerge, {
      wants: ({ action }) => action === 'merged',
    }),
  );
  host.whenPresent('reviews', () =>
    host.on(reviewChanged, 'within', 'move-asked', own, moveByReviewRequest, {
      wants: ({ action }) => action === 'requested',
    }),
  );
  host.on(repositoryRenamed, 'within', 'leave-boards', { database, events, repositories }, leaveOwnerBoards);
}
