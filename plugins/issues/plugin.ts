import { cache, channels, database, definePlugin, events, navigation, resources, site } from '@mortise/plugin-sdk';
import { accounts, reservedNames, userBlocked, userDeleting } from '@mortise/accounts/api';
import { activityComments } from '@mortise/activity/api';
import { announcementKinds, announcementModels, announcements } from '@mortise/announcements/api';
import { attachmentKinds, attachments } from '@mortise/attachments/api';
import { gitReader, refsUpdated } from '@mortise/git/api';
import { templateParts } from '@mortise/forks/api';
import { markup, markupReferences } from '@mortise/markup/api';
import { organizationPages, organizationSettingsMenu, teams } from '@mortise/organizations/api';
import {
  repositories,
  repositoryAccess,
  repositoryAccessLost,
  repositoryCreated,
  repositoryDeleting,
  repositoryMembers,
  repositoryPages,
  repositoryRelations,
  repositoryRenamed,
  repositoryResolver,
  repositoryTabs,
  repositoryUnits,
} from '@mortise/repositories/api';
import { searchIndex, searchKinds, searchSources } from '@mortise/search/api';
import * as api from './api.js';
import { announceComment, announceIssue, commentKind, issueAnnouncementKinds, issueKind } from './events/announce.js';
import { followCommits } from './events/commits.js';
import { forgetUser, detachLabels, removeUser, unassignBlocked } from './events/cleanup.js';
import { commentTexts, indexComment, indexIssue, issueTexts, textsOf } from './events/search.js';
import { createDefaultLabels, copyLabels } from './events/labels.js';
import { entryChannel, notifyPages } from './events/live-updates.js';
import { assigneeRoutes } from './routes/assignees.js';
import { attachmentRoutes } from './routes/attachments.js';
import { commentRoutes } from './routes/comments.js';
import { dependencyRoutes } from './routes/dependencies.js';
import { issueLabelRoutes } from './routes/issue-labels.js';
import { createPageDeps, createIssuePages, pageDeps, issuePageRoutes } from './pages/pages.js';
import { linesOf } from './pages/timeline-lines.js';
import { organizationLabelPages, organizationLists } from './pages/organization-labels.js';
import { issueRoutes } from './routes/issues.js';
import { labelRoutes } from './routes/labels.js';
import { milestoneExchangeRoutes } from './routes/milestone-exchange.js';
import { milestoneRoutes } from './routes/milestones.js';
import { moderationRoutes } from './routes/moderation.js';
import { organizationLabelRoutes } from './routes/organization-labels.js';
import { reactionRoutes } from './routes/reactions.js';
import { subscriptionRoutes } from './routes/subscriptions.js';
import { issueReferences } from './services/references.js';
import { templateRoutes } from './routes/templates.js';
import { externalTracker, trackerReferences } from './services/external-tracker.js';
import { commentFileKind, issueFileKind } from './services/attachment-kinds.js';
import { followedBy } from './services/subscriptions.js';
import { findTeam } from './services/find-team.js';
import { IssueImportService } from './services/imports.js';
import { IssueResolver } from './services/issue-resolver.js';
import { commentKindOf, issueKindOf } from './services/search-result-kinds.js';
import { issueKinds, timelineKind } from './services/timeline-kinds.js';
import { issueServices, createServices, teamFinder } from './services/services.js';
import { createTimeline } from './services/timeline-api.js';
import { makeIssuesUnit } from './units/issues.js';
import { dependencySettings, issueSettings, keywordSettings, limitsOf } from './settings.js';
import { t } from './texts/index.js';

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
    markup: '^2.0.0',
    repositories: '^1.0.0',
    search: '^1.0.0',
  },
  optional: { activity: '^1.0.0', forks: '^1.0.0', organizations: '^1.0.0' },
  provides: [
    api.issues,
    api.issueImports,
    api.issueResolver,
    api.timeline,
    api.issueChanged,
    api.issuesFreed,
    api.issuesDeleting,
    api.commentChanged,
    api.issueFields,
    api.issueFilters,
    api.issueProjects,
    api.closeChecks,
    api.issueRecords,
    api.issueOptions,
    api.issueVisits,
    api.timelineKinds,
    api.issuePages,
    api.issueSidebar,
    api.conversationEnd,
    api.issueRowProperties,
    pageDeps,
    issueServices,
    teamFinder,
  ],

  register(host) {
    const limits = limitsOf(
      host.settings('repository.issue', issueSettings),
      host.settings('service', dependencySettings),
    );
    const keywords = host.settings('repository.pull-request', keywordSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    const points = {
      fields: host.point(api.issueFields),
      filters: host.point(api.issueFilters),
      projects: host.point(api.issueProjects),
      closeChecks: host.point(api.closeChecks),
      visits: host.point(api.issueVisits),
      records: host.point(api.issueRecords),
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
        gitReader,
        repositories,
        repositoryAccess,
        repositoryMembers,
        search: searchIndex,
      },
      (services) => createServices(services, points, limits, keywords),
    );
    const pagePoints = {
      sidebar: host.point(api.issueSidebar),
      end: host.point(api.conversationEnd),
      rowProperties: host.point(api.issueRowProperties),
      filterTabs: points.filters,
    };
    host.service(
      pageDeps,
      { issueServices, database, cache, markup, pages: repositoryPages, site, accounts },
      (services) => createPageDeps(services, pagePoints),
    );
    host.service(api.issuePages, { pageDeps }, (services) => createIssuePages(services.pageDeps));
    host.routes({ pageDeps }, (services) => issuePageRoutes(services.pageDeps));
    host.island('issues', new URL('./pages/islands/issues.js', import.meta.url));
    host.island('issues-news', new URL('./pages/islands/news.js', import.meta.url));
    host.island('issues-style', new URL('./pages/issues.css', import.meta.url));
    host.contribute(reservedNames, { names: ['issues', 'pulls'] });
    for (const [key, label, order] of [
      ['issues', t.later('tab'), 5],
      ['pulls', t.later('tab.pulls'), 6],
    ] as const)
      host.contribute(navigation, { key, label, href: `/${key}`, order, visible: ({ kind }) => kind === 'user' });
    host.contribute(repositoryTabs, {
      key: 'issues',
      label: t.later('tab'),
      icon: 'issue-opened',
      order: 20,
      href: 'issues',
      visible: ({ context }) => context.may('read', 'issues') || externalTracker(context.repository) !== undefined,
      count: ({ context }) => (context.may('read', 'issues') ? context.repository.openIssueCount : undefined),
    });
    host.service(api.issues, { issueServices }, (services) => services.issueServices.contract);
    host.service(
      api.issueImports,
      { database, repositories, search: searchIndex },
      (services) => new IssueImportService(services),
    );
    host.service(api.timeline, { issueServices, channels, database, search: searchIndex }, createTimeline);
    host.channel({ issueServices }, entryChannel);
    host.on(
      api.commentChanged,
      'after',
      'tell-pages',
      { channels, issueServices },
      async (event, services) => {
        const issue = event.action === 'created' ? await services.issueServices.reader.byId(event.issueId) : undefined;
        if (issue) await notifyPages(issue, event.commentId, services);
      },
      { wants: ({ action }) => action === 'created' },
    );
    host.contribute(attachmentKinds, { database, repositories, repositoryAccess }, issueFileKind);
    host.contribute(attachmentKinds, { database, repositories, repositoryAccess }, commentFileKind(points.kinds));
    for (const key of issueKinds)
      host.contribute(api.timelineKinds, { issueServices, pageDeps }, (services) => ({
        ...timelineKind(key, services.issueServices),
        ...linesOf(key, services.pageDeps),
      }));
    host.contribute(api.issueFilters, { key: 'subscribed', where: followedBy });
    host.contribute(api.closeChecks, { issueServices }, (services) => services.issueServices.dependencies.closeCheck);
    host.service(
      api.issueResolver,
      { issueServices, repositories: repositoryResolver },
      (services) => new IssueResolver({ repositories: services.repositories, reader: services.issueServices.reader }),
    );
    host.contribute(resources, { resolver: api.issueResolver }, ({ resolver }) => resolver);

    host.contribute(repositoryUnits, makeIssuesUnit(host.point(api.issueOptions)));
    host.contribute(api.issueOptions, {
      key: 'enable_issue_dependencies',
      label: t.later('option.dependencies'),
      order: 50,
    });
    host.contribute(markupReferences, { repositoryAccess }, (services) => trackerReferences(services.repositoryAccess));
    for (const at of [0, 1] as const)
      host.contribute(
        markupReferences,
        { repositories, repositoryAccess, issueServices },
        ({ issueServices: { reader }, ...services }) => issueReferences({ ...services, reader })[at]!,
      );
    host.on(repositoryCreated, 'within', 'begin-labels', { database }, createDefaultLabels);
    host.on(repositoryAccessLost, 'within', 'part', { database }, (lost, services) =>
      removeUser(services.database, lost),
    );

    for (const key of issueAnnouncementKinds)
      host.contribute(announcementKinds, { models: announcementModels, repositories, issueServices }, (services) =>
        issueKind(key, services),
      );
    host.contribute(announcementKinds, { models: announcementModels, repositories, issueServices }, commentKind);
    host.on(api.issueChanged, 'within', 'announce', { announcements }, announceIssue);
    host.on(
      api.issueChanged,
      'within',
      'free',
      { issueServices },
      ({ issueId }, services) => services.issueServices.dependencies.free([issueId]),
      { wants: ({ action }) => action === 'closed' },
    );
    host.on(api.issuesDeleting, 'within', 'free-deleted', { issueServices }, ({ issueIds }, services) =>
      services.issueServices.dependencies.free(issueIds),
    );
    host.on(repositoryDeleting, 'within', 'free-across', { issueServices }, ({ repositoryId }, services) =>
      services.issueServices.dependencies.freeAcross(repositoryId),
    );
    host.on(api.commentChanged, 'within', 'announce-comment', { announcements, issueServices }, announceComment);
    host.on(api.issueChanged, 'within', 'index', { database, search: searchIndex }, indexIssue);
    host.on(api.commentChanged, 'within', 'index-comment', { database, search: searchIndex }, indexComment);
    const searched = { database, issueServices, repositories, search: searchIndex, site } as const;
    host.contribute(searchKinds, searched, ({ issueServices: { reader }, ...services }) =>
      issueKindOf(
        { ...services, reader },
        { key: 'issues', label: t.later('tab'), icon: 'issue-opened', order: 20, isPull: false },
      ),
    );
    host.contribute(searchKinds, searched, ({ issueServices: { reader }, ...services }) =>
      issueKindOf(
        { ...services, reader },
        { key: 'pulls', label: t.later('tab.pulls'), icon: 'git-pull-request', order: 30, isPull: true },
      ),
    );
    host.contribute(searchKinds, searched, ({ issueServices, ...services }) =>
      commentKindOf({ ...services, reader: issueServices.reader, textsOf: (rows) => textsOf(rows, issueServices) }),
    );
    host.contribute(searchSources, { database }, issueTexts);
    host.contribute(searchSources, { database, issueServices }, commentTexts);
    host.on(
      refsUpdated,
      'after',
      'follow-commits',
      { database, accounts, gitReader, repositories, repositoryAccess, issueServices },
      followCommits,
    );
    host.on(userDeleting, 'within', 'forget-person', { database }, forgetUser);
    host.on(repositoryRenamed, 'within', 'leave-labels', { database }, detachLabels);
    host.on(userBlocked, 'within', 'part-blocked', { database }, unassignBlocked);

    host.routes({ issueServices }, (services) => [
      ...issueRoutes(services.issueServices),
      ...issueLabelRoutes(services.issueServices),
      ...assigneeRoutes(services.issueServices),
      ...labelRoutes(services.issueServices),
      ...milestoneRoutes(services.issueServices),
      ...milestoneExchangeRoutes(services.issueServices),
      ...commentRoutes(services.issueServices),
      ...reactionRoutes(services.issueServices),
      ...attachmentRoutes(services.issueServices),
      ...moderationRoutes(services.issueServices),
      ...subscriptionRoutes(services.issueServices),
      ...dependencyRoutes(services.issueServices),
      ...templateRoutes(services.issueServices),
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
    host.whenPresent('forks', () => {
      host.contribute(templateParts, { database }, (services) => ({
        key: 'labels' as const,
        label: t.later('template.labels'),
        order: 30,
        copy: (made: { readonly templateId: number; readonly repositoryId: number }) => copyLabels(made, services),
      }));
    });
    host.whenPresent('organizations', () => {
      host.routes({ issueServices }, (services) => organizationLabelRoutes(services.issueServices));
      host.routes({ pageDeps, pages: organizationPages }, (services) => [
        ...organizationLabelPages(services.pageDeps, services.pages),
        ...organizationLists(services.pageDeps),
      ]);
      host.contribute(organizationSettingsMenu, {
        key: 'labels',
        label: t.later('labels.title'),
        icon: 'tag',
        order: 30,
        href: 'labels',
      });
      host.contribute(teamFinder, { teams }, findTeam);
    });
  },
});
