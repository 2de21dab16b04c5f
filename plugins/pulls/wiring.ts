import { type PluginHost, cache, database, events, jobs, locks, site, siteFeatures } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { activityEvents } from '@mortise/activity-events/api';
import { gitReader, gitStore, gitWriter, pushHints, refUpdates, refsUpdated } from '@mortise/git/api';
import { branchRenamed } from '@mortise/refs/api';
import { commitViews, compareActions, comparisons, diffs } from '@mortise/history/api';
import {
  closeChecks,
  conversationEnd,
  issueChanged,
  issuesFreed,
  issuePages,
  issueRowProperties,
  issues,
  timeline,
} from '@mortise/issues/api';
import { markup } from '@mortise/markup/api';
import {
  branchAccess,
  commitWriter,
  repositories,
  repositoryAccess,
  repositoryQuota,
  repositoryDeleting,
  repositoryEdited,
  repositoryMembers,
  repositoryPages,
  repositorySidebar,
  repositoryTabs,
} from '@mortise/repositories/api';
import * as api from './api.js';
import { recordIssue, recordPull } from './events/activity-events.js';
import {
  followIssue,
  followMoves,
  followOne,
  followPull,
  followRename,
  leaveForks,
  recordMoves,
} from './events/follow.js';
import {
  autoMerge,
  autoMergeAll,
  checkBranch,
  checkPull,
  checkWaiting,
  checkedSince,
  forgetPull,
} from './jobs/check.js';
import { mergeBoxSlot } from './pages/merge-box.js';
import { compareSlot } from './pages/new-pull.js';
import { createPageDeps, createPullPages, pageDeps, pullPages } from './pages/pages.js';
import { recentBox } from './pages/recent-box.js';
import { pullRowProperties } from './pages/rows.js';
import { protectionSource, statusSource } from './services/protection-requirement.js';
import { pullHint } from './services/push-hint.js';
import { createServices, pullServices } from './services/services.js';
import { pullSettings, pushSettings } from './settings.js';
import { t } from './texts/index.js';

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('repository.pull-request', pullSettings);
  const points = {
    fields: host.point(api.pullFields),
    extensions: host.point(api.pullExtensions),
    requirements: host.point(api.mergeRequirements),
    templateVariables: host.point(api.mergeTemplateVariables),
    closeChecks: host.point(closeChecks),
  };
  const shield = { protections: host.point(protectionSource), statuses: host.point(statusSource) };
  const pagePoints = {
    mergeBox: host.point(api.pullMergeBox),
    diffExtensions: host.point(api.pullDiffExtensions),
    counters: host.point(api.conversationCounters),
    newFields: host.point(api.newPullFields),
    requirements: points.requirements,
    statuses: () => shield.statuses.list()[0],
    protections: () => shield.protections.list()[0],
  };
  return { settings, points, shield, pagePoints };
}

type Opened = ReturnType<typeof openSettings>;

export function registerServices(host: PluginHost, { settings, points, shield, pagePoints }: Opened): void {
  const git = { store: gitStore, gitReader, gitWriter, refUpdates } as const;
  host.service(
    pullServices,
    {
      ...git,
      database,
      events,
      cache,
      jobs,
      locks,
      accounts,
      issues,
      timeline,
      repositories,
      repositoryAccess,
      repositoryQuota,
      branchAccess,
      commitWriter,
    },
    (services) => createServices(services, { ...points, protections: () => shield.protections.list()[0] }, settings),
  );
  host.service(api.pulls, { pullServices }, (services) => services.pullServices.contract);
  host.service(api.pullImports, { pullServices }, (services) => services.pullServices.imports);
  host.service(
    pageDeps,
    {
      ...git,
      pullServices,
      issues,
      issuePages,
      accounts,
      repositories,
      repositoryAccess,
      members: repositoryMembers,
      pages: repositoryPages,
      diffs,
      views: commitViews,
      comparisons,
      markup,
      site,
      jobs,
      cache,
    },
    (services) => createPageDeps(services, pagePoints),
  );
  host.service(api.pullPages, { pageDeps }, (services) => createPullPages(services.pageDeps));
}

export function registerEvents(host: PluginHost, { settings }: Opened): void {
  host.on(issueChanged, 'within', 'follow-issue', { database, jobs, pullServices }, (event, services) =>
    followIssue(event, { ...services, drafts: services.pullServices.drafts }),
  );
  host.on(refsUpdated, 'within', 'settle', { database, jobs, pullServices }, (moved, services) =>
    recordMoves(moved, { ...services, ...services.pullServices }),
  );
  const following = { database, jobs, accounts, gitReader, repositories, issues, pullServices } as const;
  const how = { log: host.log, followsMerged: settings.RETARGET_CHILDREN_ON_MERGE };
  host.on(refsUpdated, 'after', 'follow', following, (moved, services) =>
    followMoves(moved, { ...services, ...services.pullServices, ...how }),
  );
  host.job(followPull, { perGroup: 1 }, following, (work, services) =>
    followOne(work, { ...services, ...services.pullServices, ...how }),
  );
  host.job(forgetPull, {}, { locks, repositories, pullServices }, async (gone, services) => {
    if (!(await services.repositories.byId(gone.repositoryId))) return;
    // not while its head moves
    await services.locks.hold(`pulls.head:${gone.issueId}`, () =>
      services.pullServices.refs.remove(gone.repositoryId, gone.index),
    );
  });
  host.whenPresent('refs', () => {
    host.on(branchRenamed, 'within', 'rename', { database }, followRename);
  });
  host.on(repositoryDeleting, 'within', 'leave-forks', { database, accounts, repositories, issues }, leaveForks);
  host.on(api.pullChanged, 'after', 'finish', { accounts, issues, pullServices }, async (changed, services) => {
    const { action, issueId, actorId } = changed;
    const { pullServices } = services;
    if (action === 'merged') {
      await pullServices.cleaner.clean(issueId);
      const [issue, merger] = [await services.issues.byId(issueId), await services.accounts.byId(actorId)];
      if (issue && merger) await services.issues.applyCloseReferences(issue, services.accounts.actorOf(merger, ''));
    }
    const pull = action === 'opened' ? await pullServices.reader.byIssueId(issueId) : undefined;
    if (pull && !pull.isMerged) await pullServices.refs.restore(pull);
  });
  const delay = settings.DELAY_CHECK_FOR_INACTIVE_DAYS;
  host.job(checkBranch, { perGroup: 1 }, { database, pullServices }, (job, services, { signal }) =>
    checkWaiting(
      job,
      {
        ...services,
        syncer: services.pullServices.syncer,
        since: checkedSince(delay, Date.now()),
      },
      signal,
    ),
  );
  host.job(autoMerge, {}, { pullServices }, ({ issueId }, services) => services.pullServices.autoMerger.run(issueId));
  host.job(autoMergeAll, { perGroup: 1 }, { pullServices }, ({ repositoryId }, services, { signal }) =>
    services.pullServices.autoMerger.retryAll(repositoryId, signal),
  );
  host.on(api.mergeRequirementsChanged, 'within', 'retry-changed', { pullServices }, ({ issueIds }, services) =>
    services.pullServices.autoMerger.retry(issueIds),
  );
  host.on(api.pullChanged, 'within', 'retry-merge', { pullServices }, (changed, { pullServices: { autoMerger } }) => {
    const { action, issueId, after, actorId } = changed;
    if (action === 'merged') return Promise.resolve();
    return action === 'synchronized' && after
      ? autoMerger.headMoved(issueId, after, actorId)
      : autoMerger.retry([issueId]);
  });
  host.on(issueChanged, 'within', 'retry-edited', { pullServices }, ({ isPull, action, issueId }, services) =>
    isPull && action === 'edited' ? services.pullServices.autoMerger.retry([issueId]) : Promise.resolve(),
  );
  host.on(issuesFreed, 'within', 'retry-freed', { pullServices }, ({ issueIds }, services) =>
    services.pullServices.autoMerger.retry(issueIds),
  );
  // dependencies that do not count any more, other ways to merge
  host.on(repositoryEdited, 'within', 'retry-in-edited', { pullServices }, ({ repositoryId }, services) =>
    services.pullServices.autoMerger.retryIn(repositoryId),
  );
  host.job(checkPull, {}, { pullServices }, ({ issueId }, services) => services.pullServices.syncer.check(issueId));
  host.on(issueChanged, 'within', 'record-issue', { activityEvents, pullServices }, recordIssue);
  host.on(api.pullChanged, 'within', 'record', { activityEvents, issues, pulls: api.pulls }, recordPull);
}

export function registerPages(host: PluginHost, { pagePoints }: Opened): void {
  host.contribute(siteFeatures, {
    key: 'pulls',
    icon: 'git-pull-request',
    title: t.later('tab'),
    text: t.later('feature.text'),
    order: 14,
  });
  host.routes({ pageDeps }, (services) => pullPages(services.pageDeps));
  host.island('pulls-style', new URL('./pages/pulls.css', import.meta.url));
  host.contribute(repositorySidebar, { pageDeps }, (services) => recentBox(services.pageDeps));
  host.contribute(repositoryTabs, {
    key: 'pulls',
    label: t.later('tab'),
    icon: 'git-pull-request',
    order: 30,
    href: 'pulls',
    visible: ({ context }) => context.may('read', 'pulls'),
    count: ({ context }) => context.repository.openPullCount,
  });
  host.contribute(conversationEnd, { pageDeps }, (services) => mergeBoxSlot(services.pageDeps));
  host.contribute(issueRowProperties, { pullServices }, (services) =>
    pullRowProperties({ reader: services.pullServices.reader, statuses: pagePoints.statuses }),
  );
  host.contribute(compareActions, { pageDeps }, (services) => compareSlot(services.pageDeps));
  if (host.settings('git', pushSettings).PULL_REQUEST_PUSH_MESSAGE)
    host.contribute(
      pushHints,
      { repositories, repositoryAccess, pullServices },
      ({ pullServices: { reader }, ...services }) => pullHint({ ...services, reader }),
    );
}
