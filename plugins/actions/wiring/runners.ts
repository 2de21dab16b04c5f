import { readFileSync } from 'node:fs';
import {
  authMethods,
  broker,
  cache,
  database,
  defineJob,
  defineService,
  events,
  jobs,
  locks,
  metrics,
  scheduleTask,
  site,
  Encryption,
  type AnyRef,
  type PluginHost,
} from '@mortise/plugin-sdk';
import { accounts, userDeleting } from '@mortise/accounts/api';
import { packageAccessSources } from '@mortise/packages/api';
import { accessSources, repositories, repositoryDeleting, repositoryRenamed } from '@mortise/repositories/api';
import { runnerCommands } from '../commands/runners.js';
import { cleanUpDue } from '../contract/clean-up.js';
import { registrationTokens, runners } from '../contract/runners.js';
import { jobStates } from '../contract/runs.js';
import { jobSecrets, secrets, variables } from '../contract/secrets.js';
import { taskIdentities } from '../contract/task-identity.js';
import { runnerService, taskContextEntries, taskQueue } from '../contract/tasks.js';
import { tokenSettings } from '../contract/token-settings.js';
import { taskLogs } from '../contract/logs.js';
import { runtimeTokens } from '../contract/runtime-tokens.js';
import type { RunnerRow } from '../models/runner.js';
import { adminLevel, organizationLevel, repositoryLevel, userLevel } from '../routes/levels.js';
import { runnerRoutes } from '../routes/runners.js';
import { secretRoutes, variableRoutes } from '../routes/secrets.js';
import { taskRoutes } from '../routes/tasks.js';
import { ownerOf } from '../services/runs/ownership-transfer.js';
import { RunnerGateway } from '../services/runners/runner-gateway.js';
import { presetToken, RegistrationService } from '../services/runners/registration.js';
import { RunnerStore } from '../services/runners/runner-store.js';
import { RunnerActivity } from '../services/runners/runner-activity.js';
import { deleteRowsOfScope, deleteRowsOfFormerOwner } from '../services/runners/scope-cleanup.js';
import { SecretKeys } from '../services/secrets/secret-keys.js';
import { SecretService } from '../services/secrets/secret-service.js';
import { VariableService } from '../services/secrets/variable-service.js';
import { taskAccess, taskPackages } from '../services/tasks/task-access.js';
import { taskMethod } from '../services/tasks/auth-method.js';
import { TaskBuilder } from '../services/tasks/task-builder.js';
import { TaskClaims } from '../services/tasks/task-claims.js';
import { TaskIdentityService } from '../services/tasks/task-identities.js';
import { TaskVersions } from '../services/tasks/task-versions.js';
import { TaskReports } from '../services/tasks/task-reports.js';
import { Sweeper } from '../services/tasks/sweeper.js';
import { TaskRepositoryAccess } from '../services/tasks/task-repository-access.js';
import { TaskTokens } from '../services/tasks/task-tokens.js';
import { TokenSettingsService } from '../services/tasks/token-settings.js';
import type { ActionsSettings } from '../settings.js';
import { t } from '../texts/index.js';

const runnerActivity = defineService<RunnerActivity>('actions.runnerActivity');
export const registration = defineService<RegistrationService>('actions.registration');
const versions = defineService<TaskVersions>('actions.taskVersions');
const runnerStore = defineService<RunnerStore>('actions.runnerStore');
export const secretStore = defineService<SecretService>('actions.secretStore');
const variableStore = defineService<VariableService>('actions.variableStore');
const claims = defineService<TaskClaims>('actions.claims');
const reports = defineService<TaskReports>('actions.reports');
const identities = defineService<TaskIdentityService>('actions.identities');
const settingsStore = defineService<TokenSettingsService>('actions.tokenSettingsStore');
const sweeper = defineService<Sweeper>('actions.sweeper');
export const taskRepositoryAccess = defineService<TaskRepositoryAccess>('actions.taskRepositoryAccess');

/** Ends tasks without a sign of life. */
const stopZombies = defineJob<Record<string, never>>('actions.stopZombies');
const stopEndless = defineJob<Record<string, never>>('actions.stopEndless');
const stopTimedOut = defineJob<Record<string, never>>('actions.stopTimedOut');
const cancelAbandoned = defineJob<Record<string, never>>('actions.cancelAbandoned');
const cleanUpRunners = defineJob<Record<string, never>>('actions.cleanUpRunners');
const returnUndelivered = defineJob<Record<string, never>>('actions.returnUndelivered');

export const runnerProvides: readonly AnyRef[] = [
  ...[runners, registrationTokens, secrets, variables, jobSecrets, taskIdentities, runnerService, taskQueue],
  taskContextEntries,
  ...[tokenSettings, runnerActivity, registration, versions, runnerStore, secretStore, variableStore, claims, reports],
  ...[identities, taskRepositoryAccess, settingsStore, sweeper],
  ...[stopZombies, stopEndless, stopTimedOut, cancelAbandoned, cleanUpRunners, returnUndelivered],
];

/** Runners, secrets, variables and the tasks that runners take. */
export function registerRunners(host: PluginHost, settings: ActionsSettings): void {
  registerStores(host);
  registerTasks(host, settings);
  registerRoutes(host);
  registerCleanup(host);
  runnerCommands(host);
}

function registerStores(host: PluginHost): void {
  host.service(runnerActivity, { database }, (services) => new RunnerActivity(services.database, host.log));
  host.service(
    registration,
    { database, events, locks, site },
    (services) =>
      new RegistrationService(
        services.database,
        new Encryption(services.site.secret('registration tokens of runners')),
        services.locks,
        services.events,
      ),
  );
  host.service(registrationTokens, { registration }, (services) => services.registration);
  host.service(
    versions,
    { broker, cache, database },
    (services) => new TaskVersions(services.database, services.broker, services.cache.query('actions.versions')),
  );
  host.service(taskQueue, { versions }, (services) => services.versions);
  host.service(
    runnerStore,
    { database, events, runnerActivity, versions },
    (services) => new RunnerStore(services.database, services.runnerActivity, services.versions, services.events),
  );
  host.service(runners, { runnerStore }, (services) => services.runnerStore);
  host.service(secretStore, { database, events, site }, (services) => {
    const keys = new SecretKeys(services.database, new Encryption(services.site.secret('keys of action secrets')));
    return new SecretService(services.database, keys, services.events, host.log);
  });
  host.service(secrets, { secretStore }, (services) => services.secretStore);
  host.service(
    variableStore,
    { database, events },
    (services) => new VariableService(services.database, services.events),
  );
  host.service(variables, { variableStore }, (services) => services.variableStore);
  host.service(jobSecrets, { secretStore, variableStore }, (services) => ({
    variablesOf: (repository, environmentId) => services.variableStore.variablesOf(repository, environmentId),
    secretsOf: (repository) => services.secretStore.secretsOf(repository),
    environmentSecretsOf: (environmentId) => services.secretStore.environmentSecretsOf(environmentId),
    secretNamesOf: (repository) => services.secretStore.secretNamesOf(repository),
  }));
  host.service(settingsStore, { database }, (services) => new TokenSettingsService(services.database));
  host.service(tokenSettings, { settingsStore }, (services) => services.settingsStore);
}

function registerTasks(host: PluginHost, settings: ActionsSettings): void {
  const tokensOf = (secret: Buffer) => new TaskTokens(secret);
  const purpose = 'tokens of tasks';
  const additions = host.point(taskContextEntries);
  host.service(
    claims,
    { cache, database, jobStates, repositories, site },
    (services) =>
      new TaskClaims({
        ...services,
        tokens: tokensOf(services.site.secret(purpose)),
        labels: services.cache.memory('actions.labels'),
      }),
  );
  host.service(reports, { database, jobStates }, (services) => new TaskReports(services));
  host.service(
    identities,
    { database, repositories, settingsStore, site },
    (services) =>
      new TaskIdentityService({
        database: services.database,
        repositories: services.repositories,
        tokens: tokensOf(services.site.secret(purpose)),
        settings: services.settingsStore,
      }),
  );
  host.service(taskIdentities, { identities }, (services) => services.identities);
  host.service(
    runnerService,
    {
      ...{ accounts, cache, claims, database, events, jobSecrets, jobStates, registration, reports },
      ...{ repositories, runtimeTokens, site, runnerActivity, versions },
    },
    (services) =>
      new RunnerGateway({
        ...services,
        builder: new TaskBuilder({ ...services, additions }),
        known: services.cache.query<RunnerRow | null>('actions.runners'),
        maxPicks: settings.MAX_CONCURRENT_TASK_PICKS,
      }),
  );
  host.service(
    sweeper,
    { claims, database, jobStates, reports, taskLogs },
    (services) => new Sweeper({ ...services, settings, seal: (taskId) => services.taskLogs.seal(taskId) }),
  );
  host.contribute(authMethods, { identities, runtimeTokens }, (services) =>
    taskMethod(services.identities, services.runtimeTokens),
  );
  host.service(
    taskRepositoryAccess,
    { repositories, settingsStore },
    (services) => new TaskRepositoryAccess(services.repositories, services.settingsStore),
  );
  host.contribute(accessSources, { identities, repositoryAccess: taskRepositoryAccess, settingsStore }, (services) =>
    taskAccess({ ...services, settings: services.settingsStore }),
  );
  host.whenPresent('packages', () =>
    host.contribute(packageAccessSources, { identities }, (services) => taskPackages(services.identities)),
  );

  host.job(stopZombies, {}, { sweeper }, async (_given, services) => void (await services.sweeper.zombies()));
  host.job(stopEndless, {}, { sweeper }, async (_given, services) => void (await services.sweeper.endless()));
  host.job(stopTimedOut, {}, { sweeper }, async (_given, services) => void (await services.sweeper.timedOut()));
  host.job(cancelAbandoned, {}, { sweeper }, async (_given, services) => void (await services.sweeper.abandoned()));
  host.job(cleanUpRunners, {}, { sweeper }, async (_given, services) => void (await services.sweeper.usedRunners()));
  host.job(returnUndelivered, {}, { sweeper }, async (_given, services) => {
    await services.sweeper.undelivered();
  });
  registerSweeps(host);

  host.onStart({ identities, metrics, registration, runnerActivity, versions }, async (services) => {
    await services.identities.recognizeImportedTokens();
    const preset = presetToken(process.env, (path) => readFileSync(path, 'utf8'));
    if (preset) await services.registration.preset(preset);
    services.metrics.gauge(
      'mortise_actions_waiting_runners',
      'Calls of runners that wait for work',
      () => services.versions.waiting,
    );
    const stop = services.versions.listen();
    return async () => {
      stop();
      services.versions.wakeAll();
      await services.runnerActivity.close();
    };
  });
}

function registerRoutes(host: PluginHost): void {
  const deps = { registrationTokens, runners };
  const levels = [repositoryLevel, userLevel, adminLevel];
  host.routes(deps, (services) => levels.flatMap((level) => runnerRoutes(level, services)));
  host.routes({ secrets, variables }, (services) =>
    [repositoryLevel, userLevel].flatMap((level) => [
      ...secretRoutes(level, services),
      ...variableRoutes(level, services),
    ]),
  );
  host.routes({ database, repositories }, taskRoutes);
  host.whenPresent('organizations', () =>
    host.routes({ ...deps, secrets, variables }, (services) => [
      ...runnerRoutes(organizationLevel, services),
      ...secretRoutes(organizationLevel, services),
      ...variableRoutes(organizationLevel, services),
    ]),
  );
}

/** What goes with accounts and repositories. */
function registerCleanup(host: PluginHost): void {
  host.on(repositoryDeleting, 'within', 'forget-runners', { database }, ({ repositoryId }, services) =>
    deleteRowsOfScope(services.database, { repository_id: repositoryId }),
  );
  host.on(userDeleting, 'within', 'forget-runners-of-owner', { database }, ({ userId }, services) =>
    deleteRowsOfScope(services.database, { owner_id: userId }),
  );
  host.on(
    repositoryRenamed,
    'within',
    'keep-secrets-back',
    { database },
    async ({ repositoryId, from, to }, services) => {
      if (ownerOf(from) !== ownerOf(to)) await deleteRowsOfFormerOwner(services.database, repositoryId);
    },
  );
}

/** Periodic cleanup of tasks, jobs and runners. */
function registerSweeps(host: PluginHost): void {
  host.schedule(
    'return-undelivered',
    '@every 1m',
    returnUndelivered,
    {},
    { taskName: 'return_undelivered_tasks', title: t.later('schedule.return-undelivered') },
  );
  host.schedule(
    'stop-timed-out',
    '@every 1m',
    stopTimedOut,
    {},
    { taskName: 'stop_timed_out_jobs', title: t.later('schedule.stop-timed-out') },
  );
  scheduleTask(
    host,
    {
      id: 'stop-zombies',
      title: t.later('schedule.stop-zombies'),
      taskName: 'stop_zombie_tasks',
      schedule: '@every 5m',
      does: 'Fail tasks of Actions without a sign of life',
    },
    stopZombies,
    {},
  );
  scheduleTask(
    host,
    {
      id: 'stop-endless',
      title: t.later('schedule.stop-endless'),
      taskName: 'stop_endless_tasks',
      schedule: '@every 30m',
      does: 'Fail tasks of Actions that run too long',
    },
    stopEndless,
    {},
  );
  scheduleTask(
    host,
    {
      id: 'cancel-abandoned',
      title: t.later('schedule.cancel-abandoned'),
      taskName: 'cancel_abandoned_jobs',
      schedule: '@every 6h',
      does: 'Cancel jobs of Actions that no runner takes',
    },
    cancelAbandoned,
    {},
  );
  host.on(cleanUpDue, 'within', 'clean-up-runners', { jobs }, async (_event, services) => {
    await services.jobs.enqueue(cleanUpRunners, {}, { uniqueKey: 'clean up runners' });
  });
}
