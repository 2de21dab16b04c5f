import { cache, database, defineService, site, siteFeatures, type AnyRef, type PluginHost } from '@mortise/plugin-sdk';
import { accounts, waitingSources } from '@mortise/accounts/api';
import { fileNotices } from '@mortise/files/api';
import { pullDiffExtensions, pullMergeBox, pulls } from '@mortise/pulls/api';
import { repositories, repositoryAccess, repositoryPages, repositoryTabs } from '@mortise/repositories/api';
import { taskLogs } from '../contract/logs.js';
import { runAttempts, runPageSections } from '../contract/run-page-sections.js';
import { runners } from '../contract/runners.js';
import { openStatuses } from '../contract/states.js';
import { AttemptRow } from '../models/attempt.js';
import { RunRow } from '../models/run.js';
import { diffAnnotations } from '../pages/annotations/diff-annotations.js';
import { deploymentPageRoutes } from '../pages/deployments/routes.js';
import { approvalRow } from '../pages/runs/approval-row.js';
import { runActionRoutes } from '../pages/runs/action-handlers.js';
import { RunReader } from '../pages/runs/run-reader.js';
import { runPages } from '../pages/runs/routes.js';
import { waitingRuns } from '../pages/waiting-runs.js';
import { workflowFileNotice } from '../pages/runs/workflow-file-notice.js';
import { Annotations } from '../services/annotations/annotations.js';
import { actionsSettings } from '../settings.js';
import { t } from '../texts/index.js';
import { deploymentHistoryRef, deploymentReviewsRef, environmentsRef, reviewingTeamsRef } from './deployments.js';
import {
  dispatcherRef,
  lifecycleRef,
  runQueriesRef,
  rerunRef,
  scopedWorkflowsRef,
  disabledWorkflowsRef,
  workflowFiles,
  workflowPresenterRef,
} from './runs.js';

const reader = defineService<RunReader>('actions.runReader');

export const runPageProvides: readonly AnyRef[] = [reader, runPageSections, runAttempts];

/** The list of runs, runs and jobs as pages of a repository. */
export function registerRunPages(host: PluginHost): void {
  host.service(reader, { database, cache, accounts, runQueries: runQueriesRef }, (services) => new RunReader(services));
  host.service(runAttempts, { database }, (services) => ({
    async idOf(repositoryId, runId, number) {
      const run = await services.database.query(RunRow).findOne({ id: runId, repository_id: repositoryId });
      if (!run || number === 0) return run?.latest_attempt_id;
      const attempt = await services.database.query(AttemptRow).findOne({ run_id: runId, number });
      return attempt?.id;
    },
  }));
  host.contribute(siteFeatures, {
    key: 'actions',
    icon: 'play',
    title: t.later('unit'),
    text: t.later('feature.text'),
    order: 16,
  });
  host.contribute(waitingSources, { queries: runQueriesRef, repositories }, waitingRuns);
  host.contribute(pullDiffExtensions, { database }, (services) => diffAnnotations(new Annotations(services)));
  host.contribute(pullMergeBox, { cache, database, pulls }, approvalRow);
  host.whenPresent('files', () =>
    host.contribute(fileNotices, { files: workflowFiles, settings: actionsSettings }, workflowFileNotice),
  );
  const sections = host.point(runPageSections);
  host.contribute(repositoryTabs, { cache, database }, (services) => {
    const open = services.cache.query<number>('actions.openRuns');
    return {
      key: 'actions',
      label: t.later('unit'),
      icon: 'play',
      order: 45,
      href: 'actions',
      visible: ({ context }) => context.may('read', 'actions') && !context.repository.isEmpty,
      counted: async ({ repository: { id, isEmpty }, may }) =>
        isEmpty || !may('read', 'actions')
          ? 0
          : open.load(String(id), () =>
              services.database
                .query(RunRow)
                .where('repository_id', id)
                .whereIn('status', [...openStatuses])
                .resultSize(),
            ),
    };
  });
  host.routes(
    {
      ...{ database, site, reader, runners, pages: repositoryPages, logs: taskLogs },
      ...{ repositories, access: repositoryAccess },
      ...{
        lifecycle: lifecycleRef,
        reruns: rerunRef,
        dispatcher: dispatcherRef,
        disabledWorkflows: disabledWorkflowsRef,
      },
      ...{ scoped: scopedWorkflowsRef, workflows: workflowPresenterRef, files: workflowFiles },
      ...{ accounts, environments: environmentsRef, history: deploymentHistoryRef, reviews: deploymentReviewsRef },
      teams: reviewingTeamsRef,
    },
    (services) => {
      const all = {
        ...services,
        annotations: new Annotations(services),
        sections: () => [...sections.list()].sort((a, b) => (a.order ?? 50) - (b.order ?? 50)),
      };
      return [...runPages(all), ...runActionRoutes(all), ...deploymentPageRoutes(all)];
    },
  );
}
