import {
  backupSources,
  type BackupRows,
  broker,
  cache,
  channels,
  database,
  defineService,
  events,
  jobs,
  locks,
  scheduleTask,
  site,
  storage,
  type AnyRef,
  type NamedBlob,
  Encryption,
  type PluginHost,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { repositories } from '@mortise/repositories/api';
import { cleanUpActions, cleanUpDue } from '../contract/clean-up.js';
import { runsDeleted } from '../contract/events.js';
import { idTokenRequests } from '../contract/id-tokens.js';
import { cleanUpLogs, packLog, removeLogs, taskLogs } from '../contract/logs.js';
import { runtimeTasks } from '../contract/runtime-tasks.js';
import { runtimeTokens } from '../contract/runtime-tokens.js';
import { taskIdentities } from '../contract/task-identity.js';
import { taskContextEntries } from '../contract/tasks.js';
import { idTokenRoutes } from '../routes/id-tokens.js';
import { logRoutes } from '../routes/logs.js';
import { IdKeys } from '../services/id-keys.js';
import { IdTokens } from '../services/id-tokens.js';
import { Annotations } from '../services/annotations/annotations.js';
import { LogCleanup } from '../services/logs/log-cleanup.js';
import { LogPacker } from '../services/logs/log-packer.js';
import { LogReader } from '../services/logs/log-reader.js';
import { LogWatchers, logChannelKind } from '../services/logs/log-watchers.js';
import { LogWriter } from '../services/logs/log-writer.js';
import { RunningTasks } from '../services/running-tasks.js';
import { SignedRuntimeTokens } from '../services/signed-runtime-tokens.js';
import type { ActionsSettings } from '../settings.js';
import { t } from '../texts/index.js';

/** Shared inside this plugin only. */
const packer = defineService<LogPacker>('actions.logPacker');
const watchers = defineService<LogWatchers>('actions.logWatchers');
const cleaning = defineService<LogCleanup>('actions.logCleanup');
const idKeys = defineService<IdKeys>('actions.idKeys');
const idTokens = defineService<IdTokens>('actions.idTokens');
export const logArea = 'actions-log';

export const logProvides: readonly AnyRef[] = [
  taskLogs,
  runtimeTasks,
  runtimeTokens,
  idTokenRequests,
  idKeys,
  idTokens,
  packLog,
  removeLogs,
  cleanUpLogs,
  cleanUpActions,
  cleanUpDue,
  packer,
  watchers,
  cleaning,
];

/** What a back-up must hold for the rows of its moment. */
async function* namedBlobs(rows: BackupRows): AsyncGenerator<NamedBlob> {
  for await (const [key, size] of rows.rows('action_log_segment', ['key', 'stored_bytes']))
    yield { area: logArea, key: String(key), size: Number(size) };
}

/** Where logs lie, and who writes and reads them. */
function registerLogServices(host: PluginHost, settings: ActionsSettings): void {
  host.contribute(backupSources, { key: 'actions-logs', blobs: namedBlobs });
  host.service(
    packer,
    { database, locks, storage },
    (services) =>
      new LogPacker({ ...services, area: services.storage.area(logArea), packing: settings.LOG_COMPRESSION }),
  );
  host.service(
    watchers,
    { broker, channels },
    (services) => new LogWatchers(services.broker, services.channels, host.log),
  );
  host.service(
    cleaning,
    { database, storage, taskLogs },
    (services) =>
      new LogCleanup({
        database: services.database,
        seal: (taskId) => services.taskLogs.seal(taskId),
        area: services.storage.area(logArea),
        retentionDays: settings.LOG_RETENTION_DAYS,
      }),
  );
  host.service(taskLogs, { database, cache, jobs, storage, packer, watchers }, (services) => {
    const reader = new LogReader(services.database, services.storage.area(logArea), services.cache);
    const writer = new LogWriter({
      database: services.database,
      jobs: services.jobs,
      annotations: new Annotations(services),
      maxBytes: settings.LOG_MAX_SIZE * 1024 * 1024,
      pack: (taskId) => services.packer.pack(taskId),
      changed: (taskId, lines, isSealed) => services.watchers.changed({ taskId, lines, isSealed }),
    });
    return {
      append: (...given) => writer.append(...given),
      seal: (taskId) => writer.seal(taskId),
      forget: (taskIds) => writer.forget(taskIds),
      states: (taskIds) => reader.states(taskIds),
      read: (taskId, range) => reader.read(taskId, range),
      text: (taskId) => reader.text(taskId),
      watch: (taskId, userId) => services.watchers.watch(taskId, userId),
    };
  });
}

/** What happens to logs while nobody asks for them. */
function registerLogJobs(host: PluginHost): void {
  host.on(runsDeleted, 'within', 'forget-logs', { logs: taskLogs }, ({ taskIds }, services) =>
    services.logs.forget(taskIds),
  );
  host.channel({}, () => logChannelKind);
  host.onStart({ watchers }, (services) => Promise.resolve(() => services.watchers.close()));
  host.job(packLog, { concurrency: 1 }, { packer }, ({ taskId }, services) => services.packer.pack(taskId));
  host.job(removeLogs, { concurrency: 1 }, { cleaning }, (_payload, services, { signal }) =>
    services.cleaning.removeGone(signal),
  );
  host.job(
    cleanUpLogs,
    { attempts: 2, concurrency: 1, leaseMs: 3_600_000, timeoutMs: 6 * 3_600_000 },
    { cleaning },
    (_payload, services, { signal }) => services.cleaning.cleanUp(Date.now(), signal),
  );
  host.job(cleanUpActions, {}, { database, events }, (_payload, services) =>
    services.database.write(() => services.events.emit(cleanUpDue, {})),
  );
  scheduleTask(
    host,
    {
      id: 'clean-up',
      title: t.later('schedule.clean-up'),
      taskName: 'cleanup_actions',
      schedule: '@midnight',
      does: 'Remove logs and artifacts of runs whose days have passed, and runners that were for one task',
    },
    cleanUpActions,
    {},
  );
  host.on(cleanUpDue, 'within', 'clean-up-logs', { jobs }, async (_event, services) => {
    await services.jobs.enqueue(cleanUpLogs, {}, { uniqueKey: 'clean up logs' });
  });
  host.routes({ database, cache, logs: taskLogs }, logRoutes);
}

/** How the programs of a task show which one they are. */
function registerTaskTokens(host: PluginHost, settings: ActionsSettings): void {
  host.service(
    runtimeTokens,
    { site },
    (services) => new SignedRuntimeTokens(services.site.secret('actions runtime'), settings.ENDLESS_TASK_TIMEOUT),
  );
  host.service(
    runtimeTasks,
    { database, tokens: runtimeTokens, identities: taskIdentities },
    ({ identities, ...services }) =>
      new RunningTasks({ ...services, taskOfToken: async (token) => (await identities.byToken(token))?.taskId }),
  );
  host.service(
    idKeys,
    { database, site },
    (services) => new IdKeys(services.database, new Encryption(services.site.secret('actions identity keys'))),
  );
  host.service(
    idTokens,
    { site, accounts, repositories, tokens: runtimeTokens, keys: idKeys },
    (services) => new IdTokens(services),
  );
  host.service(idTokenRequests, { idTokens }, (services) => services.idTokens);
  host.contribute(taskContextEntries, { tasks: runtimeTasks, requests: idTokenRequests }, ({ tasks, requests }) => ({
    key: 'id-token',
    async of(claims) {
      const task = await tasks.running(claims.taskId);
      if (!task?.mayIdentify) return undefined;
      const { url, token } = await requests.requestOf(claims);
      return { actions_id_token_request_url: url, actions_id_token_request_token: token };
    },
  }));
  host.routes({ tasks: runtimeTasks, tokens: idTokens, keys: idKeys }, idTokenRoutes);
}

/** Logs of tasks, and the tokens of their programs. */
export function registerLogs(host: PluginHost, settings: ActionsSettings): void {
  registerLogServices(host, settings);
  registerLogJobs(host);
  registerTaskTokens(host, settings);
}
