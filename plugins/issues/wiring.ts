import {
  type PluginHost,
  cache,
  channels,
  database,
  events,
  navigation,
  site,
  publicSettings,
  siteFeatures,
} from '@mortise/plugin-sdk';
import { accounts, reservedNames, userBlocked, userDeleting, waitingSources } from '@mortise/accounts/api';
import { activityEvents } from '@mortise/activity-events/api';
import { attachments } from '@mortise/attachments/api';
import { gitReader, refsUpdated } from '@mortise/git/api';
import { incomingMailHandlers } from '@mortise/mail/api';
import { markup } from '@mortise/markup/api';
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
} from '@mortise/repositories/api';
import { searchIndex, searchKinds, searchSources } from '@mortise/search/api';
import * as api from './api.js';
import { recordComment, recordIssue } from './events/activity-events.js';
import { followCommits } from './events/commits.js';
import { forgetUser, detachLabels, removeUser, unassignBlocked } from './events/cleanup.js';
import { commentTexts, indexComment, indexIssue, issueTexts, textsOf } from './events/search.js';
import { createDefaultLabels } from './events/labels.js';
import { entryChannel, notifyPages } from './events/live-updates.js';
import { createPageDeps, createIssuePages, pageDeps, issuePageRoutes } from './pages/pages.js';
import { waitingIssues } from './pages/waiting.js';
import { externalTracker } from './services/external-tracker.js';
import { IssueImportService } from './services/imports.js';
import { IssueResolver } from './services/issue-resolver.js';
import { commentKindOf, issueKindOf } from './services/search-result-kinds.js';
import { mailAnswers } from './services/mail-answers.js';
import { issueServices, createServices, teamFinder, textComparison } from './services/services.js';
import { createTimeline } from './services/timeline-api.js';
import {
  dependencySettings,
  issueSettings,
  keywordSettings,
  limitsOf,
  listSettings,
  publicReactionSettings,
  reactionSettings,
  type DependencySettings,
} from './settings.js';
import { t } from './texts/index.js';

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const points = {
    fields: host.point(api.issueModelFields),
    filters: host.point(api.issueFilters),
    projects: host.point(api.issueProjects),
    closeChecks: host.point(api.closeChecks),
    visits: host.point(api.issueVisits),
    records: host.point(api.issueRecords),
    kinds: host.point(api.timelineKinds),
    relations: host.point(repositoryRelations),
    teams: host.point(teamFinder),
    comparisons: host.point(textComparison),
  };
  const dependencies: Readonly<DependencySettings> = host.settings('service', dependencySettings);
  return { points, dependencies };
}

type Opened = ReturnType<typeof openSettings>;

export function registerServices(host: PluginHost, { points, dependencies }: Opened): void {
  const limits = limitsOf(
    host.settings('repository.issue', issueSettings),
    dependencies,
    host.settings('ui', reactionSettings),
  );
  host.contribute(publicSettings, publicReactionSettings(limits.reactions));
  const keywords = host.settings('repository.pull-request', keywordSettings);
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
    (services) => createServices({ ...services, log: host.log }, points, limits, keywords),
  );
  const pagePoints = {
    sidebar: host.point(api.issueSidebar),
    end: host.point(api.conversationEnd),
    rowProperties: host.point(api.issueRowProperties),
    filterTabs: points.filters,
  };
  const sizes = { perPage: host.settings('ui', listSettings).ISSUE_PAGING_NUM };
  host.service(
    pageDeps,
    { issueServices, database, cache, markup, pages: repositoryPages, site, accounts },
    (services) => createPageDeps(services, pagePoints, sizes),
  );
  host.service(api.issuePages, { pageDeps }, (services) => createIssuePages(services.pageDeps));
  host.service(api.issues, { issueServices }, (services) => services.issueServices.contract);
  host.service(
    api.issueImports,
    { database, repositories, search: searchIndex },
    (services) => new IssueImportService(services),
  );
  host.service(api.timeline, { issueServices, channels, database, search: searchIndex }, createTimeline);
  host.service(
    api.issueResolver,
    { issueServices, repositories: repositoryResolver },
    (services) => new IssueResolver({ repositories: services.repositories, reader: services.issueServices.reader }),
  );
}

export function registerPages(host: PluginHost): void {
  host.routes({ pageDeps }, (services) => issuePageRoutes(services.pageDeps));
  host.island('issues', new URL('./pages/islands/issues.js', import.meta.url));
  host.island('issues-news', new URL('./pages/islands/news.js', import.meta.url));
  host.island('issues-style', new URL('./pages/issues.css', import.meta.url));
  host.contribute(siteFeatures, {
    key: 'issues',
    icon: 'issue-opened',
    title: t.later('tab'),
    text: t.later('feature.text'),
    order: 12,
  });
  host.contribute(waitingSources, { pageDeps }, (services) => waitingIssues(services.pageDeps));
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
}

export function registerEvents(host: PluginHost): void {
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
  host.on(repositoryCreated, 'within', 'begin-labels', { database }, createDefaultLabels);
  host.on(repositoryAccessLost, 'within', 'part', { database }, (lost, services) =>
    removeUser(services.database, lost),
  );
  host.on(api.issueChanged, 'within', 'record', { activityEvents }, recordIssue);
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
  host.on(api.commentChanged, 'within', 'record-comment', { activityEvents, issueServices }, recordComment);
  host.on(api.issueChanged, 'within', 'index', { database, search: searchIndex }, indexIssue);
  host.on(api.commentChanged, 'within', 'index-comment', { database, search: searchIndex }, indexComment);
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
}

/** Answers by mail; where there is no mail, nobody asks for them. */
export function registerMail(host: PluginHost): void {
  host.whenPresent('mail', () =>
    host.contribute(incomingMailHandlers, { accounts, issueServices, repositories, repositoryAccess }, mailAnswers),
  );
}

export function registerSearch(host: PluginHost): void {
  const searched = { accounts, database, issueServices, repositories, search: searchIndex, site } as const;
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
}
