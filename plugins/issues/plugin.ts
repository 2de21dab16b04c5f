import { cache, database, definePlugin, events, resources, site } from '@mortise/plugin-sdk';
import { accounts, userBlocked, userDeleting } from '@mortise/accounts/api';
import { activityComments } from '@mortise/activity/api';
import { announcementKinds, announcementModels, announcements } from '@mortise/announcements/api';
import { attachmentKinds, attachments } from '@mortise/attachments/api';
import { gitReader, refsUpdated } from '@mortise/git/api';
import { teams } from '@mortise/organizations/api';
import {
  repositories,
  repositoryAccess,
  repositoryAccessLost,
  repositoryMembers,
  repositoryRelations,
  repositoryRenamed,
  repositoryResolver,
} from '@mortise/repositories/api';
import * as api from './api.js';
import { announceComment, announceIssue, commentKind, issueAnnouncementKinds, issueKind } from './events/announce.js';
import { followCommits } from './events/commits.js';
import { forgetPerson, leaveLabels, part, partBlocked } from './events/follow.js';
import { assigneeRoutes } from './routes/assignees.js';
import { attachmentRoutes } from './routes/attachments.js';
import { commentRoutes } from './routes/comments.js';
import { dependencyRoutes } from './routes/dependencies.js';
import { issueLabelRoutes } from './routes/issue-labels.js';
import { issueRoutes } from './routes/issues.js';
import { labelRoutes } from './routes/labels.js';
import { milestoneRoutes } from './routes/milestones.js';
import { moderationRoutes } from './routes/moderation.js';
import { organizationLabelRoutes } from './routes/organization-labels.js';
import { reactionRoutes } from './routes/reactions.js';
import { subscriptionRoutes } from './routes/subscriptions.js';
import { commentFileKind, issueFileKind } from './services/files.js';
import { findTeam } from './services/find-team.js';
import { IssueResolver } from './services/resolve.js';
import { issueKinds, timelineKind } from './services/kinds.js';
import { issueServices, makeServices, teamFinder } from './services/services.js';
import { dependencySettings, issueSettings, limitsOf } from './settings.js';

export default definePlugin({
  name: 'issues',
  version: '1.0.0',
  description: 'Issues, labels and milestones',
  sdk: '^1.0.0',
  requires: {
    accounts: '^1.0.0',
    announcements: '^1.0.0',
    attachments: '^1.0.0',
    git: '^1.0.0',
    repositories: '^1.0.0',
  },
  optional: { activity: '^1.0.0', organizations: '^1.0.0' },
  provides: [
    api.issues,
    api.timeline,
    api.issueChanged,
    api.issuesDeleting,
    api.commentChanged,
    api.issueFields,
    api.issueFilters,
    api.closeChecks,
    api.timelineKinds,
    issueServices,
    teamFinder,
  ],

  register(host) {
    const limits = limitsOf(
      host.settings('repository.issue', issueSettings),
      host.settings('service', dependencySettings),
    );
    host.migrations(new URL('./migrations/', import.meta.url));
    const points = {
      fields: host.point(api.issueFields),
      filters: host.point(api.issueFilters),
      closeChecks: host.point(api.closeChecks),
      kinds: host.point(api.timelineKinds),
      relations: host.point(repositoryRelations),
      teams: host.point(teamFinder),
    };
    host.service(
      issueServices,
      {
        database,
        events,
        cache,
        site,
        accounts,
        attachments,
        repositories,
        repositoryAccess,
        repositoryMembers,
      },
      (services) => makeServices(services, points, limits),
    );
    host.service(api.issues, { issueServices }, (services) => services.issueServices.shared);
    host.service(api.timeline, { issueServices }, (services) => services.issueServices.entries);
    host.contribute(attachmentKinds, { database, repositories, repositoryAccess }, issueFileKind);
    host.contribute(attachmentKinds, { database, repositories, repositoryAccess }, commentFileKind);
    for (const key of issueKinds)
      host.contribute(api.timelineKinds, { issueServices }, (services) => timelineKind(key, services.issueServices));
    host.contribute(api.closeChecks, { issueServices }, (services) => services.issueServices.dependencies.closeCheck);
    host.contribute(
      resources,
      { issueServices, repositories: repositoryResolver },
      (services) => new IssueResolver({ repositories: services.repositories, reader: services.issueServices.reader }),
    );

    host.on(repositoryAccessLost, 'within', 'part', { database }, (lost, services) => part(services.database, lost));

    for (const key of issueAnnouncementKinds)
      host.contribute(announcementKinds, { models: announcementModels, repositories, issueServices }, (services) =>
        issueKind(key, services),
      );
    host.contribute(announcementKinds, { models: announcementModels, repositories, issueServices }, commentKind);
    host.on(api.issueChanged, 'within', 'announce', { announcements }, announceIssue);
    host.on(api.commentChanged, 'within', 'announce-comment', { announcements, issueServices }, announceComment);
    host.on(
      refsUpdated,
      'after',
      'follow-commits',
      { database, accounts, gitReader, repositories, repositoryAccess, issueServices },
      followCommits,
    );
    host.on(userDeleting, 'within', 'forget-person', { database }, forgetPerson);
    host.on(repositoryRenamed, 'within', 'leave-labels', { database }, leaveLabels);
    host.on(userBlocked, 'within', 'part-blocked', { database }, partBlocked);

    host.routes({ issueServices }, (services) => [
      ...issueRoutes(services.issueServices),
      ...issueLabelRoutes(services.issueServices),
      ...assigneeRoutes(services.issueServices),
      ...labelRoutes(services.issueServices),
      ...milestoneRoutes(services.issueServices),
      ...commentRoutes(services.issueServices),
      ...reactionRoutes(services.issueServices),
      ...attachmentRoutes(services.issueServices),
      ...moderationRoutes(services.issueServices),
      ...subscriptionRoutes(services.issueServices),
      ...dependencyRoutes(services.issueServices),
    ]);
    host.whenPresent('activity', () => {
      host.contribute(activityComments, { issueServices }, ({ issueServices: { timelinePresenter, entries } }) => ({
        key: 'issues',
        async comments(ids, actor) {
          const found = await timelinePresenter.comments(await entries.byIds(ids), actor);
          return new Map(found.map((comment) => [comment.id, { ...comment }]));
        },
      }));
    });
    host.whenPresent('organizations', () => {
      host.routes({ issueServices }, (services) => organizationLabelRoutes(services.issueServices));
      host.contribute(teamFinder, { teams }, findTeam);
    });
  },
});
