import { userInfo } from 'node:os';
import { actOrigins, systemActor } from '@mortise/plugin-sdk';
import { compose, type Composition } from './compose.js';
import { standardInput } from './cli/standard-input.js';
import { examine } from './doctor.js';
import { requestsOfCommand } from './host/command-requests.js';
import type { Host, HostOptions } from './host/contract.js';
import { registerDeclaredWork } from './host/declared-work.js';
import { Lifecycle } from './host/lifecycle.js';
import { OpenResources } from './host/open-resources.js';
import { PluginPhases } from './host/plugin-phases.js';
import { PluginRoutes } from './host/plugin-routes.js';
import { openServices } from './host/services.js';

export type { Host, HostOptions } from './host/contract.js';

/** Who runs a command, as the operating system knows them; in a container it may know no name. */
function operator() {
  try {
    return systemActor(userInfo().username);
  } catch {
    return systemActor(String(process.getuid?.() ?? ''));
  }
}

/** Puts a host together. It holds no state outside itself: many can live in one process. */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const composition = await compose(options);
  const resources = new OpenResources(composition.log);
  resources.add(() => composition.metrics.close());
  try {
    return await openComposed(composition, options, resources);
  } catch (error) {
    await resources.close();
    throw error;
  }
}

async function openComposed(composition: Composition, options: HostOptions, resources: OpenResources): Promise<Host> {
  const { log, container, declarations } = composition;
  const routes = new PluginRoutes(composition);
  const services = await openServices(composition, options, resources, () => routes.list());
  registerDeclaredWork(composition, services);
  const { call, site, database, events, jobs, storage, pluginErrors, pluginDirectory } = services;
  const phases = new PluginPhases(composition);
  const sources = phases.migrationSources();
  const migrate: Host['migrate'] = ({ only } = {}) => database.migrate(sources, only && new Set(only), phases.migrate);
  const lifecycle = new Lifecycle({
    composition,
    options,
    services,
    resources,
    routes,
    phases,
    migrate: () => migrate(),
  });

  return {
    composition,
    log,
    site,
    database,
    events,
    jobs,
    pluginDirectory,
    get: (ref) => container.get(ref),
    routes: () => routes.list(),
    migrate,
    knownMigrations: () => database.knownMigrations(sources),
    check: () => routes.check(),
    pluginErrors,
    pendingMigrations: () => database.pendingMigrations(sources),
    migrationSources: () => sources,
    start: (how) => lifecycle.start(how),
    listen: () => lifecycle.listen(),
    inject: (request) => lifecycle.inject(typeof request === 'string' ? { url: request } : request),
    async runCommand(name, args, print, input = standardInput, positionals = []) {
      const command = declarations.commands.get(name);
      if (!command) throw new Error(`there is no command ${name}`);
      const { owner, dependencies, run } = command;
      await migrate();
      const request = requestsOfCommand(async (asked) => {
        await lifecycle.start({ migrate: false, background: false, startOnly: owner });
        return lifecycle.inject(asked);
      });
      const origin = { actor: operator(), remoteAddress: '', surface: 'command', plugin: owner } as const;
      await actOrigins.run(origin, () =>
        call(owner, `command ${name}`, () =>
          run({ args, positionals, print, input, request, log: log.of(owner) }, container.resolve(dependencies, owner)),
        ),
      );
    },
    doctor: ({ fix, deep = false }) =>
      examine({ composition, site, database, storage, pluginErrors, sources, fix, deep }),
    stop: (isReplaced) => lifecycle.stop(isReplaced),
  };
}
