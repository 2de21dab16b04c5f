import { cache, database, definePlugin, fromPackage, jobs, resources, takeoverMappings } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { activityEventKinds, activityModels } from '@mortise/activity-events/api';
import { branchProtections, branchRulesChanged, mergeVerdicts } from '@mortise/branch-protection/api';
import { commitStatusCreated, commitStatuses } from '@mortise/commit-status/api';
import { gitReader, receivePoints, reservedRefs } from '@mortise/git/api';
import { commitModels } from '@mortise/history/api';
import {
  closeChecks,
  issueModelFields,
  issueRecords,
  issueResolver,
  issues,
  timeline,
  timelineKinds,
} from '@mortise/issues/api';
import {
  branchWriters,
  repositories,
  repositoryAccess,
  repositoryMembers,
  repositoryUnits,
} from '@mortise/repositories/api';
import * as api from './api.js';
import { commentKind, pullKind, pullKindKeys } from './events/activity-events.js';
import { followPull } from './events/follow.js';
import { autoMerge, autoMergeAll, checkBranch, checkPull, forgetPull } from './jobs/check.js';
import { linesOf } from './pages/timeline-lines.js';
import { pageDeps } from './pages/pages.js';
import { agitRoutes } from './routes/agit.js';
import { changeRoutes } from './routes/changes.js';
import { mergeRoutes } from './routes/merging.js';
import { pullRoutes } from './routes/pulls.js';
import { needingCode } from './routes/route-options.js';
import { issueMeta, pullKinds, reopenCheck } from './services/issue-contributions.js';
import {
  ProtectionRequirement,
  mergeVerdict,
  protectionSource,
  statusSource,
} from './services/protection-requirement.js';
import { PullResolver } from './services/pull-resolver.js';
import { maintainersOf } from './services/maintainers.js';
import { pullServices } from './services/services.js';
import { pullsUnit } from './units/pulls.js';
import { openSettings, registerServices, registerEvents, registerPages } from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    api.pulls,
    api.pullImports,
    api.pullChanged,
    api.pullFields,
    api.pullExtensions,
    api.mergeRequirements,
    api.pullMergeBox,
    api.pullDiffExtensions,
    api.conversationCounters,
    api.newPullFields,
    api.pullPages,
    pageDeps,
    pullServices,
    checkBranch,
    checkPull,
    autoMerge,
    autoMergeAll,
    forgetPull,
    followPull,
    api.mergeRequirementsChanged,
    protectionSource,
    statusSource,
  ],

  register(host) {
    const opened = openSettings(host);
    const { settings, shield } = opened;
    registerServices(host, opened);
    registerEvents(host, opened);
    registerPages(host, opened);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, { database, gitReader, pullServices }, ({ pullServices, ...services }) => ({
      key: 'pulls',
      tables: async () => (await import('./takeover/tables.js')).tables(pullServices.drafts),
      afterPass: async (context) =>
        (await import('./takeover/after-pass.js')).afterPass({ ...services, ...pullServices }, context),
    }));
    host.contribute(repositoryUnits, pullsUnit(settings));
    host.contribute(
      resources,
      { pullServices, issues: issueResolver },
      (services) => new PullResolver({ issues: services.issues, reader: services.pullServices.reader }),
    );
    host.contribute(branchWriters, { database, accounts, repositories, repositoryAccess }, maintainersOf);
    host.contribute(reservedRefs, { key: 'pulls', prefix: 'refs/pull/' });
    host.contribute(receivePoints, { pullServices }, (services) => services.pullServices.agit);
    host.contribute(
      issueModelFields,
      { pullServices, issues, repositories },
      ({ pullServices: { reader }, ...services }) => issueMeta({ ...services, reader }),
    );
    host.contribute(issueRecords, { pullServices }, ({ pullServices: { presenter } }) => ({
      key: 'pulls',
      record: async (issue, actor) => (issue.isPull ? (await presenter.toApi([issue], actor))[0] : undefined),
    }));
    host.contribute(closeChecks, { pullServices }, (services) => reopenCheck(services.pullServices));
    for (const kind of pullKinds)
      host.contribute(timelineKinds, { gitReader }, (services) => ({
        ...kind,
        ...linesOf(kind.key, services.gitReader),
      }));
    const eventDeps = { models: activityModels, repositories, issues, timeline, pullServices } as const;
    for (const key of pullKindKeys)
      host.contribute(activityEventKinds, eventDeps, (services) => pullKind(key, services));
    host.contribute(activityEventKinds, eventDeps, commentKind);
    host.routes(
      {
        accounts,
        issues,
        jobs,
        members: repositoryMembers,
        commits: commitModels,
        repositories,
        services: pullServices,
        cache,
      },
      (services) => needingCode([...pullRoutes(services), ...changeRoutes(services), ...mergeRoutes(services)]),
    );
    host.routes({}, () => agitRoutes);
    host.whenPresent('branch-protection', () => {
      host.on(branchRulesChanged, 'within', 'retry-ruled', { pullServices }, ({ repositoryId }, services) =>
        services.pullServices.autoMerger.retryIn(repositoryId),
      );
      host.contribute(protectionSource, { protections: branchProtections }, ({ protections }) => protections);
      host.contribute(mergeVerdicts, { pullServices }, (services) => mergeVerdict(services.pullServices.merger));
      host.contribute(
        api.mergeRequirements,
        { protections: branchProtections, pullServices },
        ({ protections, pullServices: { ranges } }) =>
          new ProtectionRequirement({ protections, ranges, statuses: () => shield.statuses.list()[0] }),
      );
    });
    host.whenPresent('commit-status', () => {
      host.contribute(statusSource, { statuses: commitStatuses }, ({ statuses }) => statuses);
      host.on(commitStatusCreated, 'within', 'retry-checked', { pullServices }, ({ repositoryId, sha }, services) =>
        services.pullServices.autoMerger.retryHead(repositoryId, sha),
      );
    });
  },
});
