import {
  cache,
  database,
  defineService,
  events,
  jobs,
  ResponseCache,
  scheduleTask,
  site,
  systemActor,
  type AnyRef,
  type PluginHost,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { activityRecorded, activityEventKinds, activityModels, activityEvents } from '@mortise/activity-events/api';
import { branchProtections } from '@mortise/branch-protection/api';
import { commitStatuses } from '@mortise/commit-status/api';
import { gitReader, refsUpdated } from '@mortise/git/api';
import { issues } from '@mortise/issues/api';
import { organizations as organizationsRef } from '@mortise/organizations/api';
import { mergeRequirements, pulls } from '@mortise/pulls/api';
import {
  repositories,
  repositoryAccess,
  repositoryEdited,
  repositoryRenamed,
  repositoryUnits,
} from '@mortise/repositories/api';
import { firstAttemptRecorded, jobsChanged, runChanged, runsDeleted, tasksCancelled } from '../api.js';
import { jobStates } from '../contract/runs.js';
import { runners } from '../contract/runners.js';
import { jobSecrets } from '../contract/secrets.js';
import { taskQueue } from '../contract/tasks.js';
import { jobKind, organizationModels, runKind } from '../events/kinds.js';
import { organizationRunRoutes, siteAndUserRunRoutes } from '../routes/runs/owner-runs.js';
import { badgeRoutes } from '../routes/runs/badge.js';
import { runRoutes } from '../routes/runs/runs.js';
import { workflowRoutes } from '../routes/runs/workflows.js';
import { DeploymentGate } from '../services/deployments/deployment-gate.js';
import { Approvals } from '../services/runs/approvals.js';
import { Cancellation } from '../services/runs/cancellation.js';
import { RunCreator } from '../services/runs/run-creator.js';
import { WorkflowDispatcher } from '../services/runs/workflow-dispatcher.js';
import { CallOutputs } from '../services/runs/call-outputs.js';
import { CallExpansion } from '../services/runs/call-expansion.js';
import {
  expandCall,
  computeCallOutputs,
  readSchedules,
  startSchedules,
  expandDeferredMatrix,
} from '../services/runs/job-definitions.js';
import { transferRuns, ownerOf } from '../services/runs/ownership-transfer.js';
import { Lifecycle } from '../services/runs/lifecycle.js';
import { RunQueries } from '../services/runs/run-queries.js';
import { runEnvironment, type RunEnvironment } from '../services/runs/run-deps.js';
import { JobWriter } from '../services/runs/job-writer.js';
import { WorkflowWorkers, workflowWorkers } from '../services/runs/workflow-workers.js';
import { RunPresenter } from '../services/runs/run-presenter.js';
import { RequiredChecks, ScopedRequirement } from '../services/runs/required-checks.js';
import { RerunService } from '../services/runs/rerun-service.js';
import { Schedules } from '../services/runs/schedules.js';
import { ScopedWorkflows } from '../services/runs/scoped-workflows.js';
import type { ReconcilerDeps } from '../services/runs/run-reconciler.js';
import { JobStatesService } from '../services/runs/job-states.js';
import { DisabledWorkflows } from '../services/runs/disabled-workflows.js';
import { RunNotifier } from '../services/runs/run-notifier.js';
import { WorkflowTrigger } from '../services/runs/workflow-trigger.js';
import { MatrixExpansion } from '../services/runs/matrix-expansion.js';
import { WorkflowPresenter } from '../services/runs/workflow-presenter.js';
import { WorkflowFiles } from '../services/runs/workflow-files.js';
import { RunnerRow } from '../models/runner.js';
import type { ActionsSettings } from '../settings.js';
import { actionsUnit, isOn } from '../units/actions.js';
import { taskRepositoryAccess } from './runners.js';
import { t } from '../texts/index.js';

/** Shared inside this plugin only. */
export const reconcilerDeps = defineService<ReconcilerDeps>('actions.reconcilerDeps');
export const workflowFiles = defineService<WorkflowFiles>('actions.workflowFiles');
export const scopedWorkflowsRef = defineService<ScopedWorkflows>('actions.scopedWorkflows');
export const disabledWorkflowsRef = defineService<DisabledWorkflows>('actions.disabledWorkflows');
const creatorRef = defineService<RunCreator>('actions.runCreator');
export const workflowTriggerRef = defineService<WorkflowTrigger>('actions.workflowTrigger');
const presenterRef = defineService<RunPresenter>('actions.runPresenter');
export const workflowPresenterRef = defineService<WorkflowPresenter>('actions.workflowPresenter');
export const lifecycleRef = defineService<Lifecycle>('actions.lifecycle');
export const rerunRef = defineService<RerunService>('actions.rerun');
export const runQueriesRef = defineService<RunQueries>('actions.runQueries');
const responsesRef = defineService<ResponseCache>('actions.answers');
export const dispatcherRef = defineService<WorkflowDispatcher>('actions.dispatcher');
const schedulesRef = defineService<Schedules>('actions.schedules');

export const runProvides: readonly AnyRef[] = [
  jobStates,
  jobsChanged,
  runChanged,
  runsDeleted,
  firstAttemptRecorded,
  tasksCancelled,
  runEnvironment,
  workflowWorkers,
  reconcilerDeps,
  workflowFiles,
  scopedWorkflowsRef,
  disabledWorkflowsRef,
  creatorRef,
  workflowTriggerRef,
  presenterRef,
  workflowPresenterRef,
  organizationModels,
  lifecycleRef,
  rerunRef,
  runQueriesRef,
  responsesRef,
  dispatcherRef,
  expandCall,
  expandDeferredMatrix,
  computeCallOutputs,
  schedulesRef,
  readSchedules,
  startSchedules,
];

/** Workflows, runs and jobs. `threads`: `worker/main.js`. */
export function registerRuns(host: PluginHost, settings: ActionsSettings, threads: URL): void {
  host.contribute(repositoryUnits, actionsUnit);
  registerRunEnvironment(host);
  registerReconciler(host, settings, threads);
  registerServices(host, settings);
  const kinds = host.point(activityEventKinds);
  host.service(
    workflowTriggerRef,
    {
      deps: reconcilerDeps,
      files: workflowFiles,
      creator: creatorRef,
      disabledWorkflows: disabledWorkflowsRef,
      scoped: scopedWorkflowsRef,
      protections: branchProtections,
      cache,
    },
    ({ deps, protections, cache: kept, ...services }) =>
      new WorkflowTrigger({
        ...deps,
        ...services,
        kinds,
        idleRepositories: kept.query<boolean>('actions.quiet'),
        required: new RequiredChecks({ ...deps, protections, scoped: services.scoped }),
        approvals: new Approvals(deps),
      }),
  );
  host.on(
    activityRecorded,
    'after',
    'start-workflows',
    { triggering: workflowTriggerRef },
    (event, { triggering }) => triggering.handleAll(event.activityEvents),
    { wants: ({ activityEvents }, { triggering }) => activityEvents.some((one) => triggering.mayTrigger(one)) },
  );
  registerExpansion(host);
  host.contribute(
    mergeRequirements,
    { database, repositories, protections: branchProtections, scoped: scopedWorkflowsRef },
    (services) => new ScopedRequirement(services),
  );
  registerRoutes(host);
  registerKinds(host);
  registerSchedules(host);
  registerTransfer(host);
}

/** Jobs that expand calls and matrices while a run is under way. */
function registerExpansion(host: PluginHost): void {
  const deps = { deps: reconcilerDeps } as const;
  // repositories take turns: strangers may make it long
  const kind = { concurrency: 4, perGroup: 2 };
  host.job(expandCall, kind, deps, ({ jobId }, services) => new CallExpansion(services.deps).expand(jobId));
  host.job(expandDeferredMatrix, kind, deps, ({ jobId }, services) => new MatrixExpansion(services.deps).expand(jobId));
  host.job(computeCallOutputs, kind, deps, ({ jobId }, services) => new CallOutputs(services.deps).make(jobId));
}

/** What a run asks of the rest of the plugin. */
function registerRunEnvironment(host: PluginHost): void {
  host.service(
    runEnvironment,
    { database, taskQueue, runners, jobSecrets, repositories, reach: taskRepositoryAccess },
    (services): RunEnvironment => ({
      bump: (repository) => services.taskQueue.bump(repository),
      cancelling: (ids) => services.runners.cancelling(ids),
      variablesOf: (repository) => services.jobSecrets.variablesOf(repository),
      secretNamesOf: (repository) => services.jobSecrets.secretNamesOf(repository),
      async runnerNames(ids) {
        const wanted = [...new Set(ids)].filter(Boolean);
        if (wanted.length === 0) return new Map();
        // nothing of how they are used: that changes all the time
        const rows = await services.database.query(RunnerRow).findByIds(wanted).select('id', 'name');
        return new Map(rows.map(({ id, name }) => [id, name]));
      },
      async mayCall(run, target) {
        const caller = await services.repositories.byId(run.repository_id);
        if (!caller) return false;
        const task = { repositoryId: caller.id, ownerId: caller.ownerId, isForkPull: run.is_fork };
        return services.reach.isAccessible(task, target);
      },
    }),
  );
}

/** What changes the states of runs, and the threads that read workflow files for it. */
function registerReconciler(host: PluginHost, settings: ActionsSettings, threads: URL): void {
  const outside = {
    database,
    events,
    jobs,
    site,
    accounts,
    repositories,
    access: repositoryAccess,
    gitReader,
    statuses: commitStatuses,
    issues,
    pulls,
    environment: runEnvironment,
    activityEvents,
  } as const;
  host.service(workflowWorkers, {}, () => new WorkflowWorkers(threads, host.log));
  host.onStart(
    { workers: workflowWorkers },
    async ({ workers: workers }) =>
      () =>
        workers.close(),
  );
  host.service(reconcilerDeps, { ...outside, workers: workflowWorkers }, (services) => {
    const deps = { ...services, settings };
    return {
      ...deps,
      notifier: new RunNotifier(deps),
      jobWriter: new JobWriter(deps),
      cancellation: new Cancellation(deps),
      deploymentGate: new DeploymentGate(deps),
    };
  });
}

function registerServices(host: PluginHost, settings: ActionsSettings): void {
  host.service(
    workflowFiles,
    { gitReader, cache, workers: workflowWorkers },
    (services) => new WorkflowFiles(services.gitReader, services.cache, services.workers),
  );
  host.service(
    scopedWorkflowsRef,
    { cache, deps: reconcilerDeps, files: workflowFiles },
    ({ deps, files, ...services }) =>
      new ScopedWorkflows({ ...deps, files, known: services.cache.query('actions.scoped-sources') }),
  );
  host.service(disabledWorkflowsRef, { database, cache }, (services) => new DisabledWorkflows(services));
  host.service(creatorRef, { deps: reconcilerDeps }, ({ deps }) => new RunCreator(deps));
  host.service(lifecycleRef, { deps: reconcilerDeps }, ({ deps }) => new Lifecycle(deps));
  host.service(
    rerunRef,
    { deps: reconcilerDeps, creator: creatorRef },
    ({ deps, creator }) => new RerunService(deps, creator),
  );
  host.service(jobStates, { deps: reconcilerDeps }, ({ deps }) => new JobStatesService(deps));
  host.service(
    presenterRef,
    { deps: reconcilerDeps, models: activityModels },
    ({ deps, models }) => new RunPresenter({ ...deps, models }),
  );
  host.service(
    workflowPresenterRef,
    { repositories, gitReader, files: workflowFiles, disabledWorkflows: disabledWorkflowsRef },
    (services) => new WorkflowPresenter({ ...services, settings }),
  );
  host.service(
    runQueriesRef,
    { database, cache, accounts, access: repositoryAccess },
    (services) => new RunQueries(services),
  );
  host.service(responsesRef, { cache }, (services) => new ResponseCache(services.cache, 'actions.answers'));
  host.service(
    dispatcherRef,
    {
      deps: reconcilerDeps,
      models: activityModels,
      files: workflowFiles,
      scoped: scopedWorkflowsRef,
      disabledWorkflows: disabledWorkflowsRef,
      creator: creatorRef,
    },
    ({ deps, ...services }) => new WorkflowDispatcher({ ...deps, ...services }),
  );
}

function registerRoutes(host: PluginHost): void {
  const common = {
    database,
    runQueries: runQueriesRef,
    presenter: presenterRef,
    lifecycle: lifecycleRef,
    reruns: rerunRef,
    disabledWorkflows: disabledWorkflowsRef,
    responses: responsesRef,
  } as const;
  host.routes(common, (services) => [...runRoutes(services), ...siteAndUserRunRoutes(services)]);
  host.routes({ database }, badgeRoutes);
  host.whenPresent('organizations', () => host.routes(common, organizationRunRoutes));
  host.routes(
    {
      ...common,
      workflows: workflowPresenterRef,
      scoped: scopedWorkflowsRef,
      dispatcher: dispatcherRef,
    },
    workflowRoutes,
  );
}

/** Event kinds for webhooks and feeds. */
function registerKinds(host: PluginHost): void {
  const organizations = host.point(organizationModels);
  const deps = {
    database,
    models: activityModels,
    repositories,
    presenter: presenterRef,
    workflows: workflowPresenterRef,
  } as const;
  host.contribute(activityEventKinds, deps, (services) => runKind({ ...services, organizations }));
  host.contribute(activityEventKinds, deps, (services) => jobKind({ ...services, organizations }));
  host.whenPresent('organizations', () =>
    host.contribute(organizationModels, { known: organizationsRef }, ({ known }) => ({
      async model(ownerId) {
        const owner = await known.byId(ownerId);
        return owner && known.toApi(owner, systemActor('actions'));
      },
    })),
  );
}

/** Cancels unfinished runs when the repository gets another owner. */
function registerTransfer(host: PluginHost): void {
  const deps = { database, lifecycle: lifecycleRef, repositories } as const;
  host.on(repositoryRenamed, 'within', 'hand-runs-over', deps, async ({ repositoryId, from, to }, services) => {
    if (ownerOf(from) === ownerOf(to)) return;
    const repository = await services.repositories.byId(repositoryId);
    if (repository) await transferRuns(services, repository);
  });
}

/** Schedules, and the events that change them. */
function registerSchedules(host: PluginHost): void {
  host.service(
    schedulesRef,
    {
      deps: reconcilerDeps,
      files: workflowFiles,
      creator: creatorRef,
      lifecycle: lifecycleRef,
      disabledWorkflows: disabledWorkflowsRef,
      models: activityModels,
    },
    ({ deps, ...services }) => new Schedules({ ...deps, ...services }),
  );
  const schedules = { schedules: schedulesRef } as const;
  host.job(readSchedules, {}, schedules, ({ repositoryId }, services) => services.schedules.read(repositoryId));
  host.job(startSchedules, { concurrency: 1 }, schedules, (_payload, services) => services.schedules.start());
  scheduleTask(
    host,
    {
      id: 'start-schedules',
      title: t.later('schedule.start-schedules'),
      taskName: 'start_schedule_tasks',
      schedule: '* * * * *',
      does: 'Start workflows that have on: schedule',
    },
    startSchedules,
    {},
  );
  host.on(refsUpdated, 'within', 'read-schedules', { ...schedules, repositories }, async (moved, services) => {
    if (moved.kind !== 'code') return;
    const repository = await services.repositories.byId(moved.repositoryId);
    const names = [repository?.defaultBranch, moved.defaultBranch].map((name) => `refs/heads/${name ?? ''}`);
    if (moved.updates.some(({ ref }) => names.includes(ref))) await services.schedules.enqueueRead(moved.repositoryId);
  });
  host.on(repositoryEdited, 'within', 'read-schedules-of-edited', schedules, (event, services) =>
    services.schedules.enqueueRead(event.repositoryId),
  );
  const disabledWorkflows = { repositories, disabledWorkflows: disabledWorkflowsRef };
  host.on(repositoryEdited, 'within', 'forget-switches', disabledWorkflows, async ({ repositoryId }, services) => {
    // REP-06: units start anew
    const repository = await services.repositories.byId(repositoryId);
    if (repository && !isOn(repository)) await services.disabledWorkflows.forget(repositoryId);
  });
}
