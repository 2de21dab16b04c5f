import { isIP } from 'node:net';
import type { ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import { withTimeout } from '@mortise/plugin-sdk';
import { findCatalogue } from '@mortise/plugin-sdk/host';
import type { Composition } from '../compose.js';
import type { ManagedHttp } from '../contracts.js';
import { isSecretOfDatabase, noteSecret, otherSecret } from '../doctor/secret.js';
import { untilAborted } from '../outbound/deadline.js';
import { PluginError, StartError } from '../plugins/index.js';
import { actorOfCommand } from './command-requests.js';
import type { Host, HostOptions } from './contract.js';
import type { OpenResources } from './open-resources.js';
import type { PluginPhases } from './plugin-phases.js';
import type { PluginRoutes } from './plugin-routes.js';
import type { HostServices } from './services.js';

const apiRequest = {
  owner: 'core',
  name: 'api-request',
  source: new URL('../api-docs/request-sender.js', import.meta.url),
};
const liveReload = { owner: 'core', name: 'live-reload', source: new URL('../web/live-reload.js', import.meta.url) };

/** How long the start of a plugin that came with Mortise may take, in milliseconds: it makes keys, for instance. */
const builtInStartMs = 120_000;
/** How long the end of one plugin may take, in milliseconds. */
const stopMs = 30_000;
const sweepMs = 3_600_000;

type StartOptions = NonNullable<Parameters<Host['start']>[0]>;
type PluginStart = Composition['declarations']['starts'][number];

interface LifecycleDeps {
  readonly composition: Composition;
  readonly options: HostOptions;
  readonly services: HostServices;
  readonly resources: OpenResources;
  readonly routes: PluginRoutes;
  readonly phases: PluginPhases;
  readonly migrate: () => Promise<unknown>;
}

/** Starts a host, lets it listen and ends it, each of them once. */
export class Lifecycle {
  /** A host that is to stop waits for no plugin that is still starting. */
  readonly #interrupted = new AbortController();
  #http: ManagedHttp | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #listening: Promise<string> | undefined;

  constructor(private readonly deps: LifecycleDeps) {}

  start(how: StartOptions = {}): Promise<void> {
    return (this.#starting ??= this.#stopping ? Promise.reject(new Error('this host is stopping')) : this.#begin(how));
  }

  listen(): Promise<string> {
    return (this.#listening ??= this.#openPort());
  }

  stop(isReplaced = false): Promise<void> {
    return (this.#stopping ??= this.#end(isReplaced));
  }

  async inject(request: ServerInjectOptions): Promise<ServerInjectResponse> {
    await this.start();
    return this.#http!.inject(request);
  }

  async #begin({ migrate = true, background = true, startOnly }: StartOptions): Promise<void> {
    const { composition, options, routes, services } = this.deps;
    // Before anything is made that would need it later.
    services.site.secret('start');
    if (migrate) await this.deps.migrate();
    await this.#checkSecret();
    this.#warnOfUnofferedTexts();
    const problems = routes.check();
    if (problems.length) throw new StartError([...problems, ...routes.faults()]);
    this.#http = await this.#createHttp();
    if (background) await this.#startBackground();
    for (const one of composition.declarations.starts)
      if (startOnly === undefined || one.owner === startOnly) await this.#startPlugin(one);
    // a worker that follows others is no start of the site
    if (startOnly === undefined && !options.waitsForServers) await services.jobs.runStartTasks();
  }

  /** Another secret than before is told, not refused: what it encrypted may not matter any more. */
  async #checkSecret(): Promise<void> {
    const { database, site } = this.deps.services;
    const { log } = this.deps.composition;
    try {
      if (await isSecretOfDatabase(database, site)) await noteSecret(database, site);
      else
        log.error(`the secret is not the one that this database was used with: ${otherSecret}`, {
          event: 'secret.changed',
        });
    } catch (error) {
      // tables that are not there, or a disk that takes nothing
      log.debug('which secret the database was used with is not known', { error });
    }
  }

  /** Texts of a plugin from outside in a language that cannot be chosen. */
  #warnOfUnofferedTexts(): void {
    const { plugins, log } = this.deps.composition;
    for (const { definition } of plugins) {
      if (this.deps.phases.isBuiltIn(definition.name)) continue;
      for (const tag of Object.keys(findCatalogue(definition.name)?.languages ?? {}))
        if (tag !== 'en' && !this.deps.services.languages.find(tag))
          log
            .of(definition.name)
            .warn(
              `the texts of ${definition.name} in the language "${tag}" are shown to nobody: the site does not offer it. ` +
                'Contribute a pack with its name to languagePacks, or look at [i18n] LANGS',
              { event: 'plugin.unofferedLanguage' },
            );
    }
  }

  async #createHttp(): Promise<ManagedHttp> {
    const { composition, options, routes, services } = this.deps;
    const { log, points, metrics, declarations, settings } = composition;
    const { tracing, call, site, database, languages, channels, pluginErrors, cache } = services;
    const { createHttp } = await import('../http/index.js');
    return createHttp(
      {
        log,
        points,
        routes: routes.list(),
        call,
        healthChecks: this.#healthChecks(),
        failingPlugins: () => [
          ...pluginErrors.recent(),
          ...[...composition.leftOut.keys()].map((plugin) => ({ plugin, kind: 'start' })),
        ],
        pluginErrors,
        islands: [...declarations.islands, apiRequest, ...(options.liveReload ? [liveReload] : [])],
      },
      {
        settings: settings.http,
        site,
        languages,
        database,
        cache,
        metrics,
        metricsText: metrics.text,
        tracing,
        channels,
      },
      {
        validateResponses: options.validateResponses,
        actorOf: (app) => actorOfCommand(app) ?? options.actorOf?.(app),
        liveReload: options.liveReload,
        port: options.port,
        address: options.address,
      },
    );
  }

  #healthChecks() {
    const { container, declarations } = this.deps.composition;
    const { broker, channels, storage } = this.deps.services;
    return [
      { owner: 'broker', id: 'ping', check: () => broker.check() },
      { owner: 'channels', id: 'ping', check: () => channels.check() },
      { owner: 'storage', id: 'write', check: () => storage.check() },
      ...declarations.healthChecks.map(({ owner, id, dependencies, check }) => ({
        owner,
        id,
        check: () => check(container.resolve(dependencies, owner)),
      })),
    ];
  }

  async #startBackground(): Promise<void> {
    const { services, resources } = this.deps;
    const { events, jobs } = services;
    let sweeping = this.#sweep();
    const hourly = setInterval(() => (sweeping = this.#sweep()), sweepMs);
    hourly.unref();
    resources.add(async () => {
      clearInterval(hourly);
      await sweeping;
    });
    await events.start();
    resources.add(() => events.stop());
    await jobs.start();
    resources.add(() => jobs.stop());
    await this.#pollChanges();
  }

  async #pollChanges(): Promise<void> {
    const { composition, options, resources, services } = this.deps;
    const { node } = options;
    if (!node) return;
    const { ChangePoller } = await import('../plugin-changes/change-poller.js');
    const { log, workDir } = composition;
    const poller = new ChangePoller({ database: services.database, workDir, log, node });
    resources.add(() => poller.stop());
  }

  async #sweep(): Promise<void> {
    try {
      await this.deps.services.database.sweep();
      await this.deps.services.locks.sweep();
    } catch (error) {
      const { log } = this.deps.composition;
      log.warn('could not clean up after ended processes', { event: 'processes.cleanup', error });
    }
  }

  async #startPlugin({ owner, dependencies, start }: PluginStart): Promise<void> {
    const { composition, phases, services, resources } = this.deps;
    if (this.#interrupted.signal.aborted) throw new Error('this host is stopping');
    const startMs = phases.isBuiltIn(owner) ? builtInStartMs : composition.settings.plugins.START_TIMEOUT * 1000;
    const late = `it has not started after ${startMs / 1000} seconds`;
    const begin = () => services.call(owner, 'start', () => start(composition.container.resolve(dependencies, owner)));
    const starting = phases.run(owner, 'starts', startMs, late, begin).catch((error: unknown) => {
      throw PluginError.of(owner, 'fails to start', error);
    });
    const stop = await untilAborted(this.#interrupted.signal, () => starting);
    if (!stop) return;
    const tooLong = () => new Error(`the plugin ${owner} has not stopped after ${stopMs / 1000} seconds`);
    resources.add(() => withTimeout(stopMs, tooLong, () => services.call(owner, 'stop', async () => stop())));
  }

  async #openPort(): Promise<string> {
    const { composition, options, services } = this.deps;
    await this.start();
    if (this.#stopping) throw new Error('this host is stopping');
    const uri = new URL(await this.#http!.listen());
    const shown = options.address ?? composition.settings.http.server.HTTP_ADDR;
    const anywhere = !isIP(shown) || shown === '0.0.0.0' || shown === '::';
    uri.hostname = anywhere ? '127.0.0.1' : isIP(shown) === 6 ? `[${shown}]` : shown;
    services.site.listensAt(uri.origin);
    return uri.origin;
  }

  async #end(isReplaced: boolean): Promise<void> {
    const { log } = this.deps.composition;
    this.#interrupted.abort(new Error('this host is stopping'));
    // What is half open cannot be closed well.
    await this.#starting?.catch(() => undefined);
    const isListening = await this.#listening?.then(
      () => true,
      () => false,
    );
    if (isListening !== false) this.deps.resources.add(() => this.#http?.stop(isReplaced));
    await this.deps.resources.close();
    log.flush();
  }
}
