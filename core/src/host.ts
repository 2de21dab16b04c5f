import { isIP } from 'node:net';
import { withTimeout, type Route } from '@mortise/plugin-sdk';
import { findCatalogue } from '@mortise/plugin-sdk/host';
import { kernelMigrations } from '@mortise/core-migrations';
import { compose } from './compose.js';
import type { ManagedHttp, MigrationSource, Owned } from './contracts.js';
import { isSecretOfDatabase, noteSecret, otherSecret } from './doctor/secret.js';
import { examine } from './doctor.js';
import { untilAborted } from './outbound/deadline.js';
import { actorOfCommand, requestsOfCommand } from './host/command-requests.js';
import type { Host, HostOptions } from './host/contract.js';
import { openServices } from './host/services.js';
import { PluginError, problemOf, StartError, type StartProblem } from './plugins/index.js';
import { watchPhase } from './plugins/startup-watchdog.js';
import { checkRoutes } from './registry/index.js';
import { standardInput } from './cli/standard-input.js';

export type { Host, HostOptions } from './host/contract.js';

const liveReload = { owner: 'core', name: 'live-reload', source: new URL('./web/live-reload.js', import.meta.url) };

/** How long the start of a plugin that came with Mortise may take, in milliseconds: it makes keys, for instance. */
const builtInStartMs = 120_000;
/** Longer than that, and the log says who is waited for; in milliseconds. */
const warnAfterMs = 10_000;
/** How long the end of one plugin may take, in milliseconds. */
const stopMs = 30_000;

/** Puts a host together. It holds no state outside itself: many can live in one process. */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const composition = await compose(options);
  const { settings, log, metrics, container, declarations, points } = composition;
  let made: readonly Owned<Route>[] | undefined;
  const routes = () =>
    (made ??= declarations.routes.flatMap(({ owner, dependencies, make }) => {
      try {
        return make(container.resolve(dependencies, owner)).map((value) => ({ owner, value }));
      } catch (error) {
        throw PluginError.of(owner, 'fails to make its routes', error);
      }
    }));
  const opened = await openServices(composition, options, routes);
  const {
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
  } = opened;
  const { pluginDirectory } = opened;

  // Subscriptions and jobs hold from the beginning: also a one-off command emits events and enqueues jobs.
  for (const one of declarations.subscriptions) {
    const { owner, id, event, when, formerly, wants, readAhead, dependencies, handle } = one;
    events.subscribe({
      owner,
      id,
      event,
      when,
      formerly,
      ...(wants && { wants: (payload: unknown) => wants(payload, container.resolve(dependencies, owner)) }),
      ...(readAhead && {
        readAhead: (payloads: readonly unknown[]) => readAhead(payloads, container.resolve(dependencies, owner)),
      }),
      handle: (payload, context) => handle(payload, container.resolve(dependencies, owner), context),
    });
  }
  for (const { owner, job, kind, dependencies, run } of declarations.jobs.values()) {
    jobs.handle(owner, job, kind, (payload, context) => run(payload, container.resolve(dependencies, owner), context));
  }
  for (const { owner, id, cron, job, payload, options } of declarations.schedules)
    jobs.schedule(owner, id, cron, job, payload, options);

  const builtIn = new Set(
    composition.plugins.filter((one) => one.package?.from === 'workspace').map((one) => one.definition.name),
  );
  const migrationMs = settings.plugins.MIGRATION_TIMEOUT * 1000;
  const sources: MigrationSource[] = [
    { owner: 'core', version: composition.version, folder: kernelMigrations, isBuiltIn: true },
    // On an empty database too, the tables of built-in plugins are there before the migrations of others: one that touches
    // them is refused for that, not for a table that is missing.
    ...declarations.migrations
      .map((one) => ({ ...one, isBuiltIn: builtIn.has(one.owner) }))
      .sort((left, right) => Number(right.isBuiltIn) - Number(left.isBuiltIn)),
  ];
  const stops: (() => Promise<void> | void)[] = [];
  let http: ManagedHttp | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  /** Who is to stop waits for no plugin that is still starting. */
  const interrupted = new AbortController();
  let listening: Promise<string> | undefined;

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

  /** Texts of a plugin from outside in a language that nobody can choose. */
  function warnOfUnofferedTexts(): void {
    for (const { definition } of composition.plugins) {
      if (builtIn.has(definition.name)) continue;
      for (const tag of Object.keys(findCatalogue(definition.name)?.languages ?? {}))
        if (tag !== 'en' && !languages.find(tag))
          log
            .of(definition.name)
            .warn(
              `the texts of ${definition.name} in the language "${tag}" are shown to nobody: the site does not offer it. ` +
                'Contribute a pack with its name to languagePacks, or look at [i18n] LANGS',
            );
    }
  }

  async function begin({
    migrate = true,
    background = true,
    startOnly,
  }: Parameters<Host['start']>[0] = {}): Promise<void> {
    // Before anything is made that would need it later.
    site.secret('start');
    if (migrate) await host.migrate();
    await knowSecret();
    warnOfUnofferedTexts();
    const problems = check();
    if (problems.length) throw new StartError(made ? [...problems, ...checkRoutes(made, points)] : problems);
    const { createHttp } = await import('./http/index.js');
    http = await createHttp(
      {
        log,
        points,
        routes: routes(),
        call,
        healthChecks: [
          { owner: 'broker', id: 'ping', check: () => broker.check() },
          { owner: 'channels', id: 'ping', check: () => channels.check() },
          { owner: 'storage', id: 'write', check: () => storage.check() },
          ...declarations.healthChecks.map(({ owner, id, dependencies, check }) => ({
            owner,
            id,
            check: () => check(container.resolve(dependencies, owner)),
          })),
        ],
        troubled: () => [
          ...pluginErrors.recent(),
          ...[...composition.leftOut.keys()].map((plugin) => ({ plugin, kind: 'start' })),
        ],
        pluginErrors: pluginErrors,
        islands: options.liveReload ? [...declarations.islands, liveReload] : declarations.islands,
      },
      { settings: settings.http, site, languages, database, metrics, metricsText: metrics.text, tracing, channels },
      {
        validateResponses: options.validateResponses,
        actorOf: (app) => actorOfCommand(app) ?? options.actorOf?.(app),
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
          log.warn('could not clean up after ended processes', { event: 'processes.cleanup', error });
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
      if (startOnly !== undefined && owner !== startOnly) continue;
      if (interrupted.signal.aborted) throw new Error('this host is stopping');
      const startMs = builtIn.has(owner) ? builtInStartMs : settings.plugins.START_TIMEOUT * 1000;
      const late = `it has not started after ${startMs / 1000} seconds`;
      const starting = watched(owner, 'starts', startMs, late, () =>
        call(owner, 'start', () => start(container.resolve(dependencies, owner))),
      ).catch((error: unknown) => {
        throw PluginError.of(owner, 'fails to start', error);
      });
      const stop = await untilAborted(interrupted.signal, () => starting);
      if (stop)
        stops.push(() =>
          withTimeout(
            stopMs,
            () => new Error(`the plugin ${owner} has not stopped after ${stopMs / 1000} seconds`),
            () => call(owner, 'stop', async () => stop()),
          ),
        );
    }
  }

  /** Within a time, and with a line in the log that says who is waited for; also where code never gives way. */
  async function watched<T>(
    owner: string,
    phase: string,
    limitMs: number,
    late: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const outside = composition.plugins.find((one) => one.definition.name === owner)?.package;
    const leave =
      outside && outside.from !== 'workspace'
        ? watchPhase(outside, phase, { workDir: composition.workDir, limitMs })
        : undefined;
    const warning = setTimeout(
      () =>
        log
          .of(owner)
          .warn(`everything waits for the plugin ${owner} while it ${phase}`, { seconds: warnAfterMs / 1000 }),
      warnAfterMs,
    );
    try {
      return await withTimeout(limitMs, () => new Error(late), work);
    } finally {
      clearTimeout(warning);
      leave?.();
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
    interrupted.abort(new Error('this host is stopping'));
    // What is half open cannot be closed well.
    await starting?.catch(() => undefined);
    const failed = await listening?.then(
      () => false,
      () => true,
    );
    const last = [
      () => (failed ? undefined : http?.stop()),
      ...stops.reverse(),
      () => pluginErrors.flush(),
      () => channels.close(),
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
        log.error('a part of the host failed to stop', { event: 'host.stop', error });
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
    pluginDirectory,
    get: (ref) => container.get(ref),
    routes,
    migrate: ({ only } = {}) =>
      database.migrate(sources, only && new Set(only), (owner, name, work) =>
        watched(
          owner,
          `runs its migration ${name}`,
          migrationMs,
          `it took longer than ${migrationMs / 1000} seconds`,
          work,
        ),
      ),
    knownMigrations: () => database.knownMigrations(sources),
    check,
    pluginErrors,
    pendingMigrations: () => database.pendingMigrations(sources),
    migrationSources: () => sources,
    start: (how) => (starting ??= begin(how)),
    listen: () => (listening ??= openPort()),
    async inject(request) {
      await host.start();
      return http!.inject(typeof request === 'string' ? { url: request } : request);
    },
    async runCommand(name, args, print, input = standardInput, words = []) {
      const found = declarations.commands.get(name);
      if (!found) throw new Error(`there is no command ${name}`);
      const { owner, dependencies, run } = found;
      await host.migrate();
      const request = requestsOfCommand(async (options) => {
        await host.start({ migrate: false, background: false, startOnly: owner });
        return http!.inject(options);
      });
      await call(owner, `command ${name}`, () =>
        run({ args, words, print, input, request, log: log.of(owner) }, container.resolve(dependencies, owner)),
      );
    },
    doctor: ({ fix, deep = false }) =>
      examine({ composition, site, database, storage, pluginErrors, sources, fix, deep }),
    stop: () => (stopping ??= end()),
  };
  return host;
}
