import { database, defineService, site, type AnyRef, type PluginHost } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { repositoryPages, repositoryTabs } from '@mortise/repositories/api';
import { taskLogs } from '../contract/logs.js';
import { runners } from '../contract/runners.js';
import { runActs } from '../pages/runs/acts.js';
import { RunReader } from '../pages/runs/data.js';
import { runPages } from '../pages/runs/routes.js';
import { t } from '../texts/index.js';
import {
  dispatchingRef,
  lifecycleRef,
  rerunningRef,
  scopedRef,
  switchesRef,
  workflowFiles,
  workflowPresenterRef,
} from './runs.js';

const reader = defineService<RunReader>('actions.runReader');

export const runPageProvides: readonly AnyRef[] = [reader];

/** The list of runs, runs and jobs as pages of a repository. */
export function registerRunPages(host: PluginHost): void {
  host.island('actions', new URL('../pages/islands/actions.js', import.meta.url));
  host.island('actions-style', new URL('../pages/actions.css', import.meta.url));
  host.service(reader, { database, accounts }, (services) => new RunReader(services));
  host.contribute(repositoryTabs, {
    key: 'actions',
    label: t.later('unit'),
    icon: 'play',
    order: 45,
    href: 'actions',
    visible: ({ context }) => context.may('read', 'actions') && !context.repository.isEmpty,
  });
  host.routes(
    {
      ...{ database, site, reader, runners, pages: repositoryPages, logs: taskLogs },
      ...{ lifecycle: lifecycleRef, rerunning: rerunningRef, dispatching: dispatchingRef, switches: switchesRef },
      ...{ scoped: scopedRef, workflows: workflowPresenterRef, files: workflowFiles },
    },
    (services) => [...runPages(services), ...runActs(services)],
  );
}
