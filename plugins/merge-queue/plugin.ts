import { database, definePlugin, fromPackage, defineService, events, jobs, locks, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { activityEvents } from '@mortise/activity-events/api';
import { branchProtections, branchRulesChanged, ruleOptions } from '@mortise/branch-protection/api';
import { commitStatusCreated, commitStatuses } from '@mortise/commit-status/api';
import { gitReader, refChecks, refUpdates, refsUpdated, reservedRefs } from '@mortise/git/api';
import { issueChanged, issues, timeline, timelineKinds } from '@mortise/issues/api';
import { mergeRequirements, pullChanged, pullMergeBox, pullPages, pulls } from '@mortise/pulls/api';
import { branchRenamed } from '@mortise/refs/api';
import { repositories, repositoryPages } from '@mortise/repositories/api';
import { mergeQueue, mergeQueueChanged, queueOption } from './contract/merge-queue.js';
import {
  onIssueChanged,
  onRefsMoved,
  onPullChanged,
  onBranchRenamed,
  onRulesChanged,
  onStatusCreated,
} from './events/queue-updates.js';
import { queueKinds } from './pages/timeline-lines.js';
import { queueRow } from './pages/merge-box.js';
import { queuePages } from './pages/queue.js';
import { queueRoutes } from './routes/merge-queue.js';
import { mergeGroupBranches } from './services/merge-group-branches.js';
import { QueueService, runQueue } from './services/queue-service.js';
import { QueueRequirement } from './services/queue-requirement.js';
import { QueueRunner, mergeGroupPrefix } from './services/queue-runner.js';
import { queueSettings } from './settings.js';
import { t } from './texts/index.js';

/** With what only this plugin does; not part of the contract. */
const queueRef = defineService<QueueService>('merge-queue.queue');
const runnerRef = defineService<QueueRunner>('merge-queue.runner');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [mergeQueue, mergeQueueChanged, queueRef, runnerRef, runQueue],

  register(host) {
    const settings = host.settings('merge-queue', queueSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    const outside = { database, pulls, repositories, statuses: commitStatuses } as const;
    host.service(
      queueRef,
      { ...outside, events, jobs, activityEvents, issues, timeline, protections: branchProtections },
      (services) => new QueueService({ ...services, settings }),
    );
    host.service(
      runnerRef,
      { ...outside, locks, accounts, gitReader, refUpdates, queue: queueRef },
      (services) => new QueueRunner({ ...services, settings }),
    );
    host.service(mergeQueue, { queue: queueRef }, ({ queue }) => queue);
    host.job(runQueue, { perGroup: 1 }, { runner: runnerRef }, ({ repositoryId, branch }, { runner }, { signal }) =>
      runner.run(repositoryId, branch, signal),
    );

    const order = 100;
    host.contribute(ruleOptions, {
      key: queueOption.required,
      label: t.later('option.required'),
      note: t.later('option.requiredNote'),
      default: false,
      order,
    });
    host.contribute(ruleOptions, {
      key: queueOption.groupSize,
      label: t.later('option.groupSize'),
      note: t.later('option.groupSizeNote'),
      default: 0,
      min: 0,
      max: 50,
      order: order + 1,
    });
    host.contribute(ruleOptions, {
      key: queueOption.timeoutMinutes,
      label: t.later('option.timeout'),
      note: t.later('option.timeoutNote'),
      default: 0,
      min: 0,
      max: 10_080,
      order: order + 2,
    });
    host.contribute(mergeRequirements, { queue: queueRef }, ({ queue }) => new QueueRequirement(queue));
    host.contribute(reservedRefs, { key: 'merge-queue', prefix: mergeGroupPrefix });
    host.contribute(refChecks, { database }, (services) => mergeGroupBranches(services.database));

    const following = { database, queue: queueRef } as const;
    host.on(pullChanged, 'within', 'follow-pull', following, onPullChanged);
    host.on(issueChanged, 'within', 'follow-issue', { ...following, pulls }, onIssueChanged);
    host.on(refsUpdated, 'within', 'follow-moves', following, onRefsMoved);
    host.on(commitStatusCreated, 'within', 'follow-status', following, onStatusCreated);
    host.on(branchRenamed, 'within', 'follow-rename', following, onBranchRenamed);
    host.on(branchRulesChanged, 'within', 'follow-rules', following, onRulesChanged);

    for (const kind of queueKinds) host.contribute(timelineKinds, kind);

    host.routes({ accounts, issues, queue: queueRef, runner: runnerRef }, queueRoutes);
    host.routes(
      { accounts, gitReader, issues, pages: repositoryPages, pullPages, site, queue: queueRef, runner: runnerRef },
      queuePages,
    );
    host.contribute(pullMergeBox, { queue: queueRef }, queueRow);
  },
});
