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
import { announced, announcementKinds, announcementModels, announcements } from '@mortise/announcements/api';
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
import { firstAttemptRecorded, jobsChanged, jobStates, runChanged, runsDeleted, tasksCancelled } from '../api.js';
import { runners } from '../contract/runners.js';
import { jobSecrets } from '../contract/secrets.js';
import { taskQueue } from '../contract/tasks.js';
import { jobKind, organizationModels, runKind } from '../events/kinds.js';
import { organizationRunRoutes, widerRunRoutes } from '../routes/runs/elsewhere.js';
import { badgeRoutes } from '../routes/runs/badge.js';
import { runRoutes } from '../routes/runs/runs.js';
import { workflowRoutes } from '../routes/runs/workflows.js';
import { Approvals } from '../services/runs/approvals.js';
import { Cancelling } from '../services/runs/cancelling.js';
import { RunCreator } from '../services/runs/creating.js';
import { Dispatching } from '../services/runs/dispatching.js';
import { CallOutputs } from '../services/runs/call-outputs.js';
import { Expanding } from '../services/runs/expanding.js';
import { expandCall, makeOutputs, readSchedules, startSchedules, unfoldMatrix } from '../services/runs/jobs.js';
import { handRunsOver, ownerOf } from '../services/runs/handing-over.js';
import { Lifecycle } from '../services/runs/lifecycle.js';
import { Listing } from '../services/runs/listing.js';
import { surroundings, type Surroundings } from '../services/runs/parts.js';
import { Planner } from '../services/runs/planning.js';
import { WorkflowReading, workflowReading } from '../services/runs/reading.js';
import { RunPresenter } from '../services/runs/present.js';
import { RequiredChecks, ScopedRequirement } from '../services/runs/required.js';
import { Rerunning } from '../services/runs/rerunning.js';
import { Schedules } from '../services/runs/schedules.js';
import { Scoped } from '../services/runs/scoped.js';
import type { SettlingDeps } from '../services/runs/settling.js';
import { JobStatesService } from '../services/runs/states.js';
import { Switches } from '../services/runs/switches.js';
import { Telling } from '../services/runs/telling.js';
import { Triggering } from '../services/runs/triggering.js';
import { Unfolding } from '../services/runs/unfolding.js';
import { WorkflowPresenter } from '../services/runs/workflow-records.js';
import { WorkflowFiles } from '../services/runs/workflows.js';
import { RunnerRow } from '../models/runner.js';
import type { ActionsSettings } from '../settings.js';
import { actionsUnit, isOn } from '../unit.js';
import { taskReach } from './runners.js';

/** Shared inside this plugin only. */
const settlingDeps = defineService<SettlingDeps>('actions.settlingDeps');
export const workflowFiles = defineService<WorkflowFiles>('actions.workflowFiles');
export const scopedRef = defineService<Scoped>('actions.scoped');
export const switchesRef = defineService<Switches>('actions.switches');
const creatorRef = defineService<RunCreator>('actions.runCreator');
export const triggeringRef = defineService<Triggering>('actions.triggering');
const presenterRef = defineService<RunPresenter>('actions.runPresenter');
export const workflowPresenterRef = defineService<WorkflowPresenter>('actions.workflowPresenter');
export const lifecycleRef = defineService<Lifecycle>('actions.lifecycle');
export const rerunningRef = defineService<Rerunning>('actions.rerunning');
export const listingRef = defineService<Listing>('actions.listing');
const answersRef = defineService<ResponseCache>('actions.answers');
export const dispatchingRef = defineService<Dispatching>('actions.dispatching');
const schedulesRef = defineService<Schedules>('actions.schedules');

export const runProvides: readonly AnyRef[] = [
  jobStates,
  jobsChanged,
  runChanged,
  runsDeleted,
  firstAttemptRecorded,
  tasksCancelled,
  surroundings,
  workflowReading,
  settlingDeps,
  workflowFiles,
  scopedRef,
  switchesRef,
  creatorRef,
  triggeringRef,
  presenterRef,
  workflowPresenterRef,
  organizationModels,
  lifecycleRef,
  rerunningRef,
  listingRef,
  answersRef,
  dispatchingRef,
  expandCall,
  unfoldMatrix,
  makeOutputs,
  schedulesRef,
  readSchedules,
  startSchedules,
];

/** Workflows, runs and jobs. `threads`: `worker/main.js`. */
export function registerRuns(host: PluginHost, settings: ActionsSettings, threads: URL): void {
  host.contribute(repositoryUnits, actionsUnit);
  registerServices(host, settings, threads);
  const kinds = host.point(announcementKinds);
  host.service(
    triggeringRef,
    {
      deps: settlingDeps,
      files: workflowFiles,
      creator: creatorRef,
      switches: switchesRef,
      scoped: scopedRef,
      protections: branchProtections,
      cache,
    },
    ({ deps, protections, cache: kept, ...services }) =>
      new Triggering({
        ...deps,
        ...services,
        kinds,
        quiet: kept.query<boolean>('actions.quiet', { max: 5000 }),
        required: new RequiredChecks({ ...deps, protections, scoped: services.scoped }),
        approvals: new Approvals(deps),
      }),
  );
  host.on(
    announced,
    'after',
    'start-workflows',
    { triggering: triggeringRef },
    (event, { triggering }) => triggering.announcedTogether(event.announcements),
    { wants: ({ announcements }, { triggering }) => announcements.some((one) => triggering.mayConcern(one)) },
  );
  registerPlanning(host);
  host.contribute(
    mergeRequirements,
    { database, repositories, protections: branchProtections, scoped: scopedRef },
    (services) => new ScopedRequirement(services),
  );
  registerRoutes(host);
  registerKinds(host);
  registerSchedules(host);
  registerHandingOver(host);
}

/** What is planned while runs go on. */
function registerPlanning(host: PluginHost): void {
  const deps = { deps: settlingDeps } as const;
  // repositories take turns: strangers may make it long
  const kind = { concurrency: 4, perGroup: 2 };
  host.job(expandCall, kind, deps, ({ jobId }, services) => new Expanding(services.deps).expand(jobId));
  host.job(unfoldMatrix, kind, deps, ({ jobId }, services) => new Unfolding(services.deps).unfold(jobId));
  host.job(makeOutputs, kind, deps, ({ jobId }, services) => new CallOutputs(services.deps).make(jobId));
}

function registerServices(host: PluginHost, settings: ActionsSettings, threads: URL): void {
  host.service(
    surroundings,
    { database, taskQueue, runners, jobSecrets, repositories, reach: taskReach },
    (services): Surroundings => ({
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
        return services.reach.reaches(task, target);
      },
    }),
  );
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
    around: surroundings,
    announcements,
  } as const;
  host.service(workflowReading, {}, () => new WorkflowReading(threads, host.log));
  host.onStart(
    { reading: workflowReading },
    async ({ reading }) =>
      () =>
        reading.close(),
  );
  host.service(settlingDeps, { ...outside, reading: workflowReading }, (services) => {
    const deps = { ...services, settings };
    return { ...deps, telling: new Telling(deps), planner: new Planner(deps), cancelling: new Cancelling(deps) };
  });
  host.service(
    workflowFiles,
    { gitReader, cache, reading: workflowReading },
    (services) => new WorkflowFiles(services.gitReader, services.cache, services.reading),
  );
  host.service(
    scopedRef,
    { cache, deps: settlingDeps, files: workflowFiles },
    ({ deps, files, ...services }) =>
      new Scoped({ ...deps, files, known: services.cache.query('actions.scoped-sources', { max: 5000 }) }),
  );
  host.service(switchesRef, { database, cache }, (services) => new Switches(services));
  host.service(creatorRef, { deps: settlingDeps }, ({ deps }) => new RunCreator(deps));
  host.service(lifecycleRef, { deps: settlingDeps }, ({ deps }) => new Lifecycle(deps));
  host.service(
    rerunningRef,
    { deps: settlingDeps, creator: creatorRef },
    ({ deps, creator }) => new Rerunning(deps, creator),
  );
  host.service(jobStates, { deps: settlingDeps }, ({ deps }) => new JobStatesService(deps));
  host.service(
    presenterRef,
    { deps: settlingDeps, models: announcementModels },
    ({ deps, models }) => new RunPresenter({ ...deps, models }),
  );
  host.service(
    workflowPresenterRef,
    { repositories, gitReader, files: workflowFiles, switches: switchesRef },
    (services) => new WorkflowPresenter({ ...services, settings }),
  );
  host.service(
    listingRef,
    { database, cache, accounts, access: repositoryAccess },
    (services) => new Listing(services),
  );
  host.service(
    answersRef,
    { cache },
    (services) => new ResponseCache(services.cache, 'actions.answers', { maxSize: 16 << 20 }),
  );
  host.service(
    dispatchingRef,
    {
      deps: settlingDeps,
      models: announcementModels,
      files: workflowFiles,
      scoped: scopedRef,
      switches: switchesRef,
      creator: creatorRef,
    },
    ({ deps, ...services }) => new Dispatching({ ...deps, ...services }),
  );
}

function registerRoutes(host: PluginHost): void {
  const common = {
    database,
    listing: listingRef,
    presenter: presenterRef,
    lifecycle: lifecycleRef,
    rerunning: rerunningRef,
    switches: switchesRef,
    answers: answersRef,
  } as const;
  host.routes(common, (services) => [...runRoutes(services), ...widerRunRoutes(services)]);
  host.routes({ database }, badgeRoutes);
  host.whenPresent('organizations', () => host.routes(common, organizationRunRoutes));
  host.routes(
    {
      ...common,
      workflows: workflowPresenterRef,
      scoped: scopedRef,
      dispatching: dispatchingRef,
    },
    workflowRoutes,
  );
}

/** What webhooks and feeds are told. */
function registerKinds(host: PluginHost): void {
  const organizations = host.point(organizationModels);
  const deps = {
    database,
    models: announcementModels,
    repositories,
    presenter: presenterRef,
    workflows: workflowPresenterRef,
  } as const;
  host.contribute(announcementKinds, deps, (services) => runKind({ ...services, organizations }));
  host.contribute(announcementKinds, deps, (services) => jobKind({ ...services, organizations }));
  host.whenPresent('organizations', () =>
    host.contribute(organizationModels, { known: organizationsRef }, ({ known }) => ({
      async model(ownerId) {
        const found = await known.byId(ownerId);
        return found && known.toApi(found, systemActor('actions'));
      },
    })),
  );
}

/** What goes on ends when the repository gets another owner. */
function registerHandingOver(host: PluginHost): void {
  const deps = { database, lifecycle: lifecycleRef, repositories } as const;
  host.on(repositoryRenamed, 'within', 'hand-runs-over', deps, async ({ repositoryId, from, to }, services) => {
    if (ownerOf(from) === ownerOf(to)) return;
    const repository = await services.repositories.byId(repositoryId);
    if (repository) await handRunsOver(services, repository);
  });
}

/** The clock, and what changes its times. */
function registerSchedules(host: PluginHost): void {
  host.service(
    schedulesRef,
    {
      deps: settlingDeps,
      files: workflowFiles,
      creator: creatorRef,
      lifecycle: lifecycleRef,
      switches: switchesRef,
      models: announcementModels,
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
    if (moved.updates.some(({ ref }) => names.includes(ref))) await services.schedules.askToRead(moved.repositoryId);
  });
  host.on(repositoryEdited, 'within', 'read-schedules-of-edited', schedules, (event, services) =>
    services.schedules.askToRead(event.repositoryId),
  );
  const switches = { repositories, switches: switchesRef };
  host.on(repositoryEdited, 'within', 'forget-switches', switches, async ({ repositoryId }, services) => {
    // REP-06: units start anew
    const repository = await services.repositories.byId(repositoryId);
    if (repository && !isOn(repository)) await services.switches.forget(repositoryId);
  });
}
