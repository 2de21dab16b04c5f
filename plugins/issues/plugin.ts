import { database, definePlugin, fromPackage, resources, takeoverMappings, type PluginHost } from '@mortise/plugin-sdk';
import { activityComments } from '@mortise/activity/api';
import { activityEventKinds, activityModels } from '@mortise/activity-events/api';
import { attachmentKinds } from '@mortise/attachments/api';
import { lineActions } from '@mortise/files/api';
import { templateContents } from '@mortise/forks/api';
import { textDiffs } from '@mortise/history/api';
import { markupReferences } from '@mortise/markup/api';
import { organizationPages, organizationSettingsMenu, teams } from '@mortise/organizations/api';
import { repositories, repositoryAccess, repositoryUnits } from '@mortise/repositories/api';
import * as api from './api.js';
import { commentKind, issueEventKinds, issueKind } from './events/activity-events.js';
import { anyBranchOption } from './events/commits.js';
import { copyLabels } from './events/labels.js';
import { assigneeRoutes } from './routes/assignees.js';
import { attachmentRoutes } from './routes/attachments.js';
import { commentRoutes } from './routes/comments.js';
import { dependencyRoutes } from './routes/dependencies.js';
import { issueLabelRoutes } from './routes/issue-labels.js';
import { pageDeps } from './pages/pages.js';
import { openIssueAboutLines } from './pages/line-action.js';
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
import { trackerReferences } from './services/external-tracker.js';
import { commentFileKind, issueFileKind } from './services/attachment-kinds.js';
import { followedBy } from './services/subscriptions.js';
import { findTeam } from './services/find-team.js';
import { issueKinds, timelineKind } from './services/timeline-kinds.js';
import { issueServices, teamFinder, textComparison } from './services/services.js';
import { closingSettings } from './settings.js';
import { makeIssuesUnit } from './units/issues.js';
import { t } from './texts/index.js';
import {
  openSettings,
  registerServices,
  registerPages,
  registerEvents,
  registerMail,
  registerSearch,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    api.issues,
    api.issueImports,
    api.issueResolver,
    api.timeline,
    api.issueChanged,
    api.issuesFreed,
    api.issuesDeleting,
    api.commentChanged,
    api.issueModelFields,
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
    textComparison,
  ],

  register(host) {
    const opened = openSettings(host);
    const { points, dependencies } = opened;
    registerServices(host, opened);
    registerPages(host);
    registerEvents(host);
    registerMail(host);
    registerSearch(host);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(attachmentKinds, { database, repositories, repositoryAccess }, issueFileKind);
    host.contribute(attachmentKinds, { database, repositories, repositoryAccess }, commentFileKind(points.kinds));
    for (const key of issueKinds)
      host.contribute(api.timelineKinds, { issueServices, pageDeps }, (services) => ({
        ...timelineKind(key, services.issueServices),
        ...linesOf(key, services.pageDeps),
      }));
    host.contribute(api.issueFilters, { key: 'subscribed', where: followedBy });
    host.contribute(api.closeChecks, { issueServices }, (services) => services.issueServices.dependencies.closeCheck);
    host.contribute(takeoverMappings, { database, repositories }, (services) => ({
      key: 'issues',
      tables: async () => (await import('./takeover/tables.js')).tables(services),
      afterPass: async () => (await import('./takeover/after-pass.js')).afterPass(services),
    }));
    host.contribute(resources, { resolver: api.issueResolver }, ({ resolver }) => resolver);
    host.contribute(repositoryUnits, makeIssuesUnit(host.point(api.issueOptions)));
    registerOptions(host, dependencies.DEFAULT_ENABLE_DEPENDENCIES);
    host.contribute(markupReferences, { repositoryAccess }, (services) => trackerReferences(services.repositoryAccess));
    for (const at of [0, 1] as const)
      host.contribute(
        markupReferences,
        { repositories, repositoryAccess, issueServices },
        ({ issueServices: { reader }, ...services }) => issueReferences({ ...services, reader })[at]!,
      );
    for (const key of issueEventKinds)
      host.contribute(activityEventKinds, { models: activityModels, repositories, issueServices }, (services) =>
        issueKind(key, services),
      );
    host.contribute(activityEventKinds, { models: activityModels, repositories, issueServices }, commentKind);
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
    host.whenPresent('files', () => host.contribute(lineActions, openIssueAboutLines));
    host.whenPresent('forks', () => {
      host.contribute(templateContents, { database }, (services) => ({
        key: 'labels' as const,
        label: t.later('template.labels'),
        order: 30,
        copy: (made: { readonly templateId: number; readonly repositoryId: number }) => copyLabels(made, services),
      }));
    });
    host.whenPresent('history', () => {
      host.contribute(textComparison, { textDiffs }, (services) => services.textDiffs);
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

/** What repositories choose about their issues. */
function registerOptions(host: PluginHost, hasDependencies: boolean): void {
  host.contribute(api.issueOptions, {
    key: 'enable_issue_dependencies',
    label: t.later('option.dependencies'),
    order: 50,
    isOffAtFirst: !hasDependencies,
  });
  const closing = host.settings('repository', closingSettings);
  host.contribute(api.issueOptions, {
    key: anyBranchOption,
    label: t.later('option.anyBranch'),
    order: 60,
    isOffAtFirst: !closing.DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH,
    isPageOnly: true,
  });
}
