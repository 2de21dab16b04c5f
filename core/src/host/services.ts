import { mkdirSync } from 'node:fs';
import {
  apiScopes as apiScopesRef,
  backups as backupsRef,
  broker as brokerRef,
  cache as cacheRef,
  channels as channelsRef,
  database as databaseRef,
  events as eventsRef,
  failedJobs,
  jobs as jobsRef,
  languages as languagesRef,
  locks as locksRef,
  metrics as metricsRef,
  outbound as outboundRef,
  pluginDirectory as directoryRef,
  scheduledTasks as tasksRef,
  settingList as settingsRef,
  siteState as stateRef,
  site as siteRef,
  storage as storageRef,
  type PluginDirectory,
  type Route,
  type TokenCategory,
} from '@mortise/plugin-sdk';
import { retryWhileUnavailable } from '../unavailable.js';
import { checkRestored, createBackups } from '../backup/backup-lock.js';
import { currentBroker } from '../broker/current.js';
import { createBroker } from '../broker/index.js';
import { createCache } from '../cache/index.js';
import { createChannels } from '../channels/index.js';
import type { Composition } from '../compose.js';
import type { Owned } from '../contracts.js';
import type { QueryWatch } from '../database/engine.js';
import { createDatabase } from '../database/index.js';
import { createEvents } from '../events/index.js';
import { PluginErrors } from '../plugin-errors/index.js';
import { statesOf } from './plugin-states.js';
import { createJobs } from '../jobs/index.js';
import { createLocks } from '../locks/index.js';
import { createOutbound } from '../outbound/index.js';
import { createSite } from '../settings/index.js';
import { isReadOnly } from '../storage/failures.js';
import { createStorage } from '../storage/index.js';
import { kernelGauges } from '../telemetry/gauges.js';
import { createLanguages } from '../web/languages.js';
import type { HostOptions } from './contract.js';

function watchOf(told: HostOptions['onStatement'], watch: QueryWatch | undefined): QueryWatch | undefined {
  if (!told) return watch;
  return (sql) => {
    told(sql);
    return watch?.(sql) ?? (() => undefined);
  };
}

/** Opens what the host stands on, and provides the services of the kernel to plugins. */
export async function openServices(
  composition: Composition,
  options: HostOptions,
  routes: () => readonly Owned<Route>[],
) {
  const { settings, log, metrics, container, points, workDir } = composition;
  const tracing = settings.tracing.OTLP_ENDPOINT
    ? new (await import('../telemetry/tracing.js')).Tracing({
        settings: settings.tracing,
        version: composition.version,
        database: settings.database.DB_TYPE === 'sqlite3' ? 'sqlite' : 'mysql',
        log,
      })
    : undefined;
  const call = tracing?.calls(metrics.call) ?? metrics.call;
  mkdirSync(workDir, { recursive: true });
  if (isReadOnly(workDir))
    log.error('the disk is mounted read-only: what is there is shown, and nothing can be stored', { workDir });
  if (!options.restoring) checkRestored(workDir);

  const site = createSite({ settings, workDir, version: composition.version });
  const retryPolicy = { attempts: options.waitsForServers ? Infinity : 1 };
  const database = await retryWhileUnavailable('the database', retryPolicy, log, () =>
    createDatabase({
      settings: settings.database,
      workDir,
      log,
      watch: watchOf(options.onStatement, tracing?.queries),
    }),
  );
  const broker = await createBroker({ settings: settings.redis, log, ...(options.waitsForServers && retryPolicy) });
  const cache = createCache({ settings: settings.cache, redis: settings.redis, database, log });
  const locks = createLocks({ database, log });
  const backups = createBackups(database);
  const storage = createStorage({ plan: settings.storage, workDir, log, keepsDeleted: () => backups.isRunning() });
  const plainOutbound = createOutbound({
    settings: settings.outbound,
    proxy: settings.proxy,
    log,
    userAgent: `Mortise/${composition.version}`,
  });
  const outbound = tracing?.outbound(plainOutbound) ?? plainOutbound;
  const pluginErrors = new PluginErrors({
    database,
    logOf: log.of,
    count: (plugin, what) => metrics.failed(plugin, what),
    outside: new Set(
      composition.plugins.flatMap((one) => (one.package?.from === 'workspace' ? [] : [one.definition.name])),
    ),
    folders: new Map(
      composition.plugins.flatMap((one) => (one.package ? [[one.definition.name, one.package.folder]] : [])),
    ),
  });
  points.onFailed((owner, point, error) => pluginErrors.contribution(owner, point, error));
  const events = createEvents({
    database,
    broker,
    log,
    call,
    logOf: log.of,
    timedOut: (owner, what, error) => pluginErrors.record(owner, 'within', what, error),
  });
  const listeners = points.reader(failedJobs);
  const jobs = createJobs({
    database,
    broker,
    log,
    call,
    settings: settings.queue,
    logOf: log.of,
    async failed(job) {
      for (const one of listeners.list())
        await call(listeners.ownerOf(one) ?? 'core', 'a failed job', () => one.failed(job));
    },
  });

  container.provide(stateRef, kernelGauges({ metrics, database, storage, cache, workDir }));

  let scopes: readonly TokenCategory[] | undefined;
  container.provide(apiScopesRef, {
    used: () => (scopes ??= [...new Set(routes().flatMap(({ value: { access } }) => access.scope ?? []))]),
  });
  container.provide(settingsRef, { list: () => composition.settingsRegistry.states() });
  container.provide(siteRef, site);
  container.provide(databaseRef, database);
  container.provide(backupsRef, backups);
  container.provide(brokerRef, currentBroker(broker, database, log));
  container.provide(cacheRef, cache);
  container.provide(locksRef, locks);
  container.provide(storageRef, storage);
  container.provide(outboundRef, outbound);
  container.provide(eventsRef, events);
  container.provide(jobsRef, jobs);
  container.provide(tasksRef, jobs.tasks);
  const channels = await createChannels({
    settings,
    broker,
    database,
    points,
    log,
    call,
    ...(options.waitsForServers && retryPolicy),
  });
  container.provide(channelsRef, channels);
  const languages = createLanguages(settings.http.i18n, points);
  container.provide(languagesRef, languages);
  container.provide(metricsRef, metrics);
  const pluginDirectory: PluginDirectory = {
    ...composition.directory,
    states: () => statesOf(composition, database, pluginErrors),
  };
  container.provide(directoryRef, pluginDirectory);
  return {
    tracing,
    call,
    site,
    database,
    broker,
    cache,
    locks,
    storage,
    faults: pluginErrors,
    events,
    jobs,
    languages,
    channels,
    pluginDirectory,
  };
}
