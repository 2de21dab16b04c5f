import { mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import {
  apiScopes as apiScopesRef,
  backups as backupsRef,
  broker as brokerRef,
  cache as cacheRef,
  database as databaseRef,
  events as eventsRef,
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
  type Actor,
  type PluginDirectory,
  type Route,
  type ServiceRef,
  type Site,
  type TokenCategory,
} from '@mortise/plugin-sdk';
import { kernelMigrations } from '@mortise/migrations';
import { patiently } from './away.js';
import { checkRestored, createBackups } from './backup/running.js';
import { createBroker } from './broker/index.js';
import { currentBroker } from './broker/current.js';
import { createCache } from './cache/index.js';
import { compose, type ComposeOptions, type Composition } from './compose.js';
import type { ManagedEvents, ManagedHttp, ManagedJobs, KernelDatabase, MigrationSource, Owned } from './contracts.js';
import type { QueryWatch } from './database/engine.js';
import { createDatabase } from './database/index.js';
import { isSecretOfDatabase, noteSecret, otherSecret } from './doctor/secret.js';
import { examine, type NamedFinding } from './doctor.js';
import { createEvents } from './events/index.js';
import { PluginFaults } from './faults/index.js';
import { within } from './faults/patience.js';
import { createJobs } from './jobs/index.js';
import { createLocks } from './locks/index.js';
import { createOutbound } from './outbound/index.js';
import { PluginError, problemOf, StartError, type StartProblem } from './plugins/index.js';
import { checkRoutes } from './registry/index.js';
import { createSite } from './settings/index.js';
import { isReadOnly } from './storage/failures.js';
import { createStorage } from './storage/index.js';
import { kernelGauges } from './telemetry/gauges.js';
import type { ManagedLog } from './telemetry/index.js';
import { createLanguages } from './web/languages.js';
import { standardInput } from './cli/standard-input.js';

export interface HostOptions extends ComposeOptions {
  /** Checks JSON answers against the schemas of their routes; for tests. */
  readonly validateResponses?: boolean;
  /** Who acts in an injected request; for tests. */
  readonly actorOf?: (app: unknown) => Actor | undefined;
  /** Is told the SQL of each statement; for tests. */
  readonly onStatement?: (sql: string) => void;
  /** The work folder is just being restored. */
  readonly restoring?: boolean;
  /** Waits without end for a database or Redis that is away: for a worker of a server that was well before. */
  readonly patient?: boolean;
  /** Pages load again when the server was started again; for `mortise dev`. */
  readonly liveReload?: boolean;
  /** A host that listens or not; without, only services and commands work. */
  readonly port?: number;
  readonly address?: string;
}

export interface Host {
  readonly composition: Composition;
  readonly log: ManagedLog;
  readonly site: Site;
  readonly database: KernelDatabase;
  readonly events: ManagedEvents;
  readonly jobs: ManagedJobs;
  readonly pluginDirectory: PluginDirectory;
  get<T>(ref: ServiceRef<T>): T;
  /** All routes of plugins, made with their services. */
  routes(): readonly Owned<Route>[];
  /** Applies pending migrations, or of them only some; gives their names. */
  migrate(options?: { only?: readonly string[] }): Promise<string[]>;
  knownMigrations(): Promise<string[]>;
  /** What went wrong in plugins where no caller heard of it. */
  readonly faults: PluginFaults;
  /** What is wrong with contributions and routes; needs no tables. */
  check(): StartProblem[];
  pendingMigrations(): Promise<string[]>;
  /** Migrates (unless told not to), then starts everything but listening. */
  start(options?: { migrate?: boolean; background?: boolean }): Promise<void>;
  /** Listens and gives the address; starts before when needed. */
  listen(): Promise<string>;
  inject(request: string | ServerInjectOptions): Promise<ServerInjectResponse>;
  runCommand(
    name: string,
    args: Readonly<Record<string, string | boolean | undefined>>,
    print: (line: string) => void,
    /** Default: the standard input. */
    input?: () => Promise<string>,
  ): Promise<void>;
  doctor(options: { fix: boolean }): AsyncIterable<NamedFinding>;
  /** Drains and ends everything, in the reverse order of the start. Safe to call twice. */
  stop(): Promise<void>;
}

function watchOf(told: HostOptions['onStatement'], watch: QueryWatch | undefined): QueryWatch | undefined {
  if (!told) return watch;
  return (sql) => {
    told(sql);
    return watch?.(sql) ?? (() => undefined);
  };
}

const liveReload = { owner: 'core', name: 'live-reload', source: new URL('./web/live-reload.js', import.meta.url) };

/** How long the `onStart` of a plugin may take. */
const startMs = 120_000;

/** Puts a host together. It holds no state outside itself: many can live in one process. */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const composition = await compose(options);
  const { settings, log, metrics, container, declarations, points, workDir } = composition;
  const tracing = settings.tracing.OTLP_ENDPOINT
    ? new (await import('./telemetry/tracing.js')).Tracing({
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
  const patience = { attempts: options.patient ? Infinity : 1 };
  const database = await patiently('the database', patience, log, () =>
    createDatabase({
      settings: settings.database,
      workDir,
      log,
      watch: watchOf(options.onStatement, tracing?.queries),
    }),
  );
  const broker = await createBroker({ settings: settings.redis, log, ...(options.patient && patience) });
  const cache = createCache({ settings: settings.cache, redis: settings.redis, database, log });
  const locks = createLocks({ database, log });
  const backups = createBackups(database);
  const storage = createStorage({ plan: settings.storage, workDir, log, keepsDeleted: () => backups.isRunning() });
  const plainOutbound = createOutbound({
    settings: settings.outbound,
    log,
    userAgent: `Mortise/${composition.version}`,
  });
  const outbound = tracing?.outbound(plainOutbound) ?? plainOutbound;
  const faults = new PluginFaults({
    database,
    logOf: log.of,
    folders: new Map(
      composition.plugins.flatMap((one) => (one.package ? [[one.definition.name, one.package.folder]] : [])),
    ),
  });
  const events = createEvents({
    database,
    broker,
    log,
    call,
    logOf: log.of,
    slow: (owner, what, error) => faults.record(owner, 'within', what, error),
  });
  const jobs = createJobs({ database, broker, log, call, settings: settings.queue, logOf: log.of });

  container.provide(stateRef, kernelGauges({ metrics, database, storage, cache, workDir }));

  let scopes: readonly TokenCategory[] | undefined;
  container.provide(apiScopesRef, {
    used: () => (scopes ??= [...new Set(routes().flatMap(({ value: { access } }) => access.scope ?? []))]),
  });
  container.provide(settingsRef, { list: () => composition.book.states() });
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
  const languages = createLanguages(settings.http.i18n, points);
  container.provide(languagesRef, languages);
  container.provide(metricsRef, metrics);
  container.provide(directoryRef, composition.directory);

  // Subscriptions and jobs hold from the beginning: also a one-off command emits events and enqueues jobs.
  for (const { owner, id, event, when, formerly, dependencies, handle } of declarations.subscriptions) {
    events.subscribe({
      owner,
      id,
      event,
      when,
      formerly,
      handle: (payload, context) => handle(payload, container.resolve(dependencies, owner), context),
    });
  }
  for (const { owner, job, kind, dependencies, run } of declarations.jobs.values()) {
    jobs.handle(owner, job, kind, (payload, context) => run(payload, container.resolve(dependencies, owner), context));
  }
  for (const { owner, id, cron, job, payload, options } of declarations.schedules)
    jobs.schedule(owner, id, cron, job, payload, options);

  const sources: MigrationSource[] = [
    { owner: 'core', version: composition.version, folder: kernelMigrations },
    ...declarations.migrations,
  ];
  const stops: (() => Promise<void> | void)[] = [];
  let http: ManagedHttp | undefined;
  let made: readonly Owned<Route>[] | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let listening: Promise<string> | undefined;

  const routes = () =>
    (made ??= declarations.routes.flatMap(({ owner, dependencies, make }) => {
      try {
        return make(container.resolve(dependencies, owner)).map((value) => ({ owner, value }));
      } catch (error) {
        throw PluginError.of(owner, 'fails to make its routes', error);
      }
    }));

  /** What can be told without the database: do points and routes come together? */
  function check(): StartProblem[] {
    const problems = points.fillAll();
    try {
      routes();
    } catch (error) {
      problems.push(problemOf(error));
    }
    return problems;
  }

  /** Another secret than before is told, not refused: what it sealed may not matter any more. */
  async function knowSecret(): Promise<void> {
    try {
      if (await isSecretOfDatabase(database, site)) await noteSecret(database, site);
      else log.error(`the secret is not the one that this database was used with: ${otherSecret}`);
    } catch (error) {
      // tables that are not there, or a disk that takes nothing
      log.debug('which secret the database was used with is not known', { error });
    }
  }

  async function begin({ migrate = true, background = true } = {}): Promise<void> {
    // Before anything is made that would need it later.
    site.secret('start');
    if (migrate) await host.migrate();
    await knowSecret();
    const problems = check();
    if (problems.length) throw new StartError(made ? [...problems, ...checkRoutes(made)] : problems);
    const { createHttp } = await import('./http/index.js');
    http = await createHttp(
      {
        log,
        points,
        routes: routes(),
        call,
        healthChecks: [
          { owner: 'broker', id: 'ping', check: () => broker.check() },
          { owner: 'storage', id: 'write', check: () => storage.check() },
          ...declarations.healthChecks.map(({ owner, id, dependencies, check }) => ({
            owner,
            id,
            check: () => check(container.resolve(dependencies, owner)),
          })),
        ],
        troubled: () => [
          ...faults.recent(),
          ...[...composition.leftOut.keys()].map((plugin) => ({ plugin, kind: 'start' })),
        ],
        islands: options.liveReload ? [...declarations.islands, liveReload] : declarations.islands,
      },
      { settings: settings.http, site, languages, database, metrics, metricsText: metrics.text, tracing },
      {
        validateResponses: options.validateResponses,
        actorOf: options.actorOf,
        liveReload: options.liveReload,
        port: options.port,
        address: options.address,
      },
    );
    if (background) {
      const sweep = async () => {
        try {
          await database.sweep();
          await locks.sweep();
        } catch (error) {
          log.warn('what ended processes left was not swept', { error });
        }
      };
      let sweeping = sweep();
      const hourly = setInterval(() => (sweeping = sweep()), 3_600_000);
      hourly.unref();
      stops.push(async () => {
        clearInterval(hourly);
        await sweeping;
      });
      await events.start();
      stops.push(() => events.stop());
      await jobs.start();
      stops.push(() => jobs.stop());
    }
    for (const { owner, dependencies, start } of declarations.starts) {
      const stop = await within(
        startMs,
        `it has not started after ${startMs / 1000} seconds`,
        call(owner, 'start', () => start(container.resolve(dependencies, owner))),
      ).catch((error: unknown) => {
        throw PluginError.of(owner, 'fails to start', error);
      });
      if (stop) stops.push(() => call(owner, 'stop', async () => stop()));
    }
  }

  async function openPort(): Promise<string> {
    await host.start();
    if (stopping) throw new Error('this host is stopping');
    const uri = new URL(await http!.listen());
    const shown = options.address ?? settings.http.server.HTTP_ADDR;
    const anywhere = !isIP(shown) || shown === '0.0.0.0' || shown === '::';
    uri.hostname = anywhere ? '127.0.0.1' : isIP(shown) === 6 ? `[${shown}]` : shown;
    site.listensAt(uri.origin);
    return uri.origin;
  }

  async function end(): Promise<void> {
    // What is half open cannot be closed well.
    await starting?.catch(() => undefined);
    const failed = await listening?.then(
      () => false,
      () => true,
    );
    const last = [
      () => (failed ? undefined : http?.stop()),
      ...stops.reverse(),
      () => faults.flush(),
      () => cache.close(),
      () => broker.close(),
      () => database.close(),
      () => metrics.close(),
      () => tracing?.close(),
    ];
    for (const stop of last) {
      try {
        await stop();
      } catch (error) {
        log.error('something did not stop well', { error });
      }
    }
    log.flush();
  }

  const host: Host = {
    composition,
    log,
    site,
    database,
    events,
    jobs,
    pluginDirectory: composition.directory,
    get: (ref) => container.get(ref),
    routes,
    migrate: ({ only } = {}) => database.migrate(sources, only && new Set(only)),
    knownMigrations: () => database.known(sources),
    check,
    faults,
    pendingMigrations: () => database.pending(sources),
    start: (how) => (starting ??= begin(how)),
    listen: () => (listening ??= openPort()),
    async inject(request) {
      await host.start();
      return http!.inject(typeof request === 'string' ? { url: request } : request);
    },
    async runCommand(name, args, print, input = standardInput) {
      const found = declarations.commands.get(name);
      if (!found) throw new Error(`there is no command ${name}`);
      const { owner, dependencies, run } = found;
      await host.migrate();
      await call(owner, `command ${name}`, () =>
        run({ args, print, input, log: log.of(owner) }, container.resolve(dependencies, owner)),
      );
    },
    doctor: ({ fix }) => examine({ composition, site, database, storage, faults, sources, fix }),
    stop: () => (stopping ??= end()),
  };
  return host;
}
