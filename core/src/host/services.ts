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
  proxyProtocol as proxyProtocolRef,
  pluginDirectory as directoryRef,
  pluginCatalogue as catalogueRef,
  pluginChanges as changesRef,
  pluginSwitches as switchesRef,
  scheduledTasks as tasksRef,
  settingList as settingsRef,
  siteState as stateRef,
  site as siteRef,
  storage as storageRef,
  type ApiScopes,
  type Channels,
  type Languages,
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
import { NpmPluginCatalogue } from '../installed-plugins/catalogue.js';
import { PluginChangeService } from '../plugin-changes/service.js';
import { switchesOf } from './plugin-switches.js';
import { createJobs } from '../jobs/index.js';
import { createLocks } from '../locks/index.js';
import { ClientAddresses } from '../http/clients.js';
import { ProxyHeaders } from '../http/proxy-protocol.js';
import { createOutbound } from '../outbound/index.js';
import { createSite } from '../settings/index.js';
import { counterpartOf, counterpartText } from '../settings/counterparts.js';
import { isReadOnly } from '../storage/failures.js';
import { createStorage } from '../storage/index.js';
import { kernelGauges } from '../telemetry/gauges.js';
import { createLanguages } from '../web/languages.js';
import type { HostOptions } from './contract.js';
import type { OpenResources } from './open-resources.js';

function watchOf(told: HostOptions['onStatement'], watch: QueryWatch | undefined): QueryWatch | undefined {
  if (!told) return watch;
  return (sql) => {
    told(sql);
    return watch?.(sql) ?? (() => undefined);
  };
}

export type HostServices = Awaited<ReturnType<typeof openServices>>;

/** Opens what the host stands on, and provides the services of the kernel to plugins. */
export async function openServices(
  composition: Composition,
  options: HostOptions,
  resources: OpenResources,
  routes: () => readonly Owned<Route>[],
) {
  const { log, container, points, settings } = composition;
  const stores = await openStores(composition, options, resources);
  const work = createWork(composition, stores);
  const channels = await createChannels({
    settings,
    broker: stores.broker,
    database: stores.database,
    points,
    log,
    call: stores.call,
    ...(options.waitsForServers && retryPolicyOf(options)),
  });
  resources.add(() => channels.close());
  resources.add(() => work.pluginErrors.flush());
  const languages = createLanguages(settings.http.i18n, points);
  const pluginDirectory: PluginDirectory = {
    ...composition.directory,
    states: () => statesOf(composition, stores.database, work.pluginErrors),
  };
  const services = { ...stores, ...work, channels, languages, pluginDirectory };
  provideServices(composition, services);
  container.provide(apiScopesRef, apiScopesOf(routes));
  const changes = new PluginChangeService({ ...stores, composition, options });
  resources.add(() => changes.stop());
  container.provide(changesRef, changes);
  container.provide(catalogueRef, new NpmPluginCatalogue({ composition, outbound: stores.outbound }));
  container.provide(switchesRef, switchesOf(composition, options, changes));
  return services;
}

const retryPolicyOf = ({ waitsForServers }: HostOptions) => ({ attempts: waitsForServers ? Infinity : 1 });

async function openTracing({ settings, version, log }: Composition) {
  if (!settings.tracing.OTLP_ENDPOINT) return undefined;
  const { Tracing } = await import('../telemetry/tracing.js');
  const database = settings.database.DB_TYPE === 'sqlite3' ? 'sqlite' : 'mysql';
  return new Tracing({ settings: settings.tracing, version, database, log });
}

function openWorkDir({ log, workDir }: Composition, options: HostOptions): void {
  mkdirSync(workDir, { recursive: true });
  if (isReadOnly(workDir))
    log.error('the disk is mounted read-only: existing data is served, nothing can be stored', {
      event: 'disk.readOnly',
      workDir,
    });
  if (!options.restoring) checkRestored(workDir);
}

/** Connections to what lies outside of the process: database, Redis, files and other servers. */
async function openStores(composition: Composition, options: HostOptions, resources: OpenResources) {
  const { settings, log, metrics, workDir, version } = composition;
  const tracing = await openTracing(composition);
  resources.add(() => tracing?.close());
  const call = tracing?.calls(metrics.call) ?? metrics.call;
  openWorkDir(composition, options);
  const site = createSite({ settings, workDir, version });
  const retryPolicy = retryPolicyOf(options);
  const watch = watchOf(options.onStatement, tracing?.queries);
  const database = await retryWhileUnavailable('the database', retryPolicy, log, () =>
    createDatabase({ settings: settings.database, workDir, log, watch }),
  );
  resources.add(() => database.close());
  const broker = await createBroker({ settings: settings.redis, log, ...(options.waitsForServers && retryPolicy) });
  resources.add(() => broker.close());
  const cache = createCache({ settings: settings.cache, redis: settings.redis, database, log });
  resources.add(() => cache.close());
  const locks = createLocks({ database, log });
  const backups = createBackups(database);
  const storage = createStorage({ plan: settings.storage, workDir, log, keepsDeleted: () => backups.isRunning() });
  const { outbound: outboundSettings, proxy } = settings;
  const plainOutbound = createOutbound({ settings: outboundSettings, proxy, log, userAgent: `Mortise/${version}` });
  const outbound = tracing?.outbound(plainOutbound) ?? plainOutbound;
  const clients = new ClientAddresses(settings.http.security, log);
  const proxyProtocol = new ProxyHeaders(settings.http.server, clients, log);
  return { tracing, call, site, database, broker, cache, locks, backups, storage, outbound, proxyProtocol };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** Events and jobs, and the record of what fails in plugins. */
function createWork({ settings, log, metrics, points, plugins }: Composition, { database, broker, call }: Stores) {
  const pluginErrors = new PluginErrors({
    database,
    logOf: log.of,
    count: (plugin, what) => metrics.failed(plugin, what),
    outside: new Set(plugins.flatMap((one) => (one.package?.from === 'workspace' ? [] : [one.definition.name]))),
    folders: new Map(plugins.flatMap((one) => (one.package ? [[one.definition.name, one.package.folder]] : []))),
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
  return { pluginErrors, events, jobs };
}

function apiScopesOf(routes: () => readonly Owned<Route>[]): ApiScopes {
  let scopes: readonly TokenCategory[] | undefined;
  return { used: () => (scopes ??= [...new Set(routes().flatMap(({ value: { access } }) => access.scope ?? []))]) };
}

interface ProvidedServices extends Stores, ReturnType<typeof createWork> {
  readonly channels: Channels;
  readonly languages: Languages;
  readonly pluginDirectory: PluginDirectory;
}

function provideServices(
  { container, metrics, workDir, log, settingsRegistry }: Composition,
  services: ProvidedServices,
) {
  const { database, storage, cache, broker, jobs } = services;
  container.provide(stateRef, kernelGauges({ metrics, database, storage, cache, workDir }));
  container.provide(settingsRef, {
    list: () => settingsRegistry.states(),
    find: (section, key) => settingsRegistry.stateOf(section, key),
    compatible: (section, key) => {
      const counterpart = counterpartOf(section, key);
      return counterpart && counterpartText(counterpart);
    },
  });
  container.provide(siteRef, services.site);
  container.provide(databaseRef, database);
  container.provide(backupsRef, services.backups);
  container.provide(brokerRef, currentBroker(broker, database, log));
  container.provide(cacheRef, cache);
  container.provide(locksRef, services.locks);
  container.provide(storageRef, storage);
  container.provide(outboundRef, services.outbound);
  container.provide(proxyProtocolRef, services.proxyProtocol);
  container.provide(eventsRef, services.events);
  container.provide(jobsRef, jobs);
  container.provide(tasksRef, jobs.tasks);
  container.provide(channelsRef, services.channels);
  container.provide(languagesRef, services.languages);
  container.provide(metricsRef, metrics);
  container.provide(directoryRef, services.pluginDirectory);
}
