import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sdkVersion, type PluginDefinition, type PluginDirectory } from '@mortise/plugin-sdk';
import {
  choosePlugins,
  orderPlugins,
  StartError,
  type StartProblem,
  type LoadedPlugin,
  type PluginPackage,
  type StartChoice,
  type WatchPhase,
} from './plugins/index.js';
import {
  checkDeclarations,
  Container,
  createPluginHost,
  Declarations,
  Points,
  tableClashes,
} from './registry/index.js';
import { declareKernelSettings, names, SettingsRegistry, type KernelSettings } from './settings/index.js';
import { pluginSettings } from './settings/kernel.js';
import { discoverPlugins, type PluginLocations } from './plugins/discover.js';
import { isListed } from './plugins/disabled.js';
import { isNeededToSignIn, type StartJournal } from './plugins/failed-starts.js';
import { watchPhase } from './plugins/startup-watchdog.js';
import type { PluginsOnDisk } from './plugins/states.js';
import { openSettings, type SettingsLocation } from './settings/open.js';
import { isSecure } from './http/cookies.js';
import { createMetrics, logOf, type LogLevel, type ManagedLog, type ManagedMetrics } from './telemetry/index.js';
import { kernelServices } from './kernel-services.js';
import { kernelVersion } from './kernel-version.js';

export interface ComposeOptions extends SettingsLocation, StartChoice {
  /** Only these plugins and what they require: names, or definitions. Absent: all that are found. */
  readonly plugins?: readonly (string | PluginDefinition)[];
  readonly logLevel?: LogLevel;
  readonly logStream?: 'stdout' | 'stderr';
  /** Metrics of the process (memory, event loop) beside those of plugins. */
  readonly processMetrics?: boolean;
  /** Folder that Mortise lies in; default: that of this kernel. */
  readonly root?: string;
  /** Gives the composition with its problems instead of throwing them. */
  readonly tolerant?: boolean;
  /** Plugins that failed in a later phase of the start, with the reason; see `openHost`. */
  readonly leftOut?: ReadonlyMap<string, string>;
  /** Folders that are looked at as if they were added to the work folder, in place of what has their names there. */
  readonly candidates?: readonly string[];
  /** The work folder that added plugins and relative paths are of; default: the own one. */
  readonly pluginsFrom?: string;
  /** Keeps who ends this start, for the next one. */
  readonly journal?: StartJournal;
}

/** Plugins and settings, put together and checked, before any of it touches a database. */
export interface Composition {
  readonly root: string;
  readonly workDir: string;
  readonly version: string;
  readonly log: ManagedLog;
  readonly metrics: ManagedMetrics;
  readonly settingsRegistry: SettingsRegistry;
  readonly settings: KernelSettings;
  readonly plugins: readonly LoadedPlugin[];
  /** Packages of all plugins that were found, on or off. */
  readonly found: readonly PluginPackage[];
  readonly disabled: readonly PluginPackage[];
  /** Names in `[plugins] OPTIONAL`. */
  readonly optional: readonly string[];
  /** Plugins that the start goes on without though they are on, with the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
  readonly declarations: Declarations;
  readonly container: Container;
  readonly points: Points;
  readonly directory: Omit<PluginDirectory, 'states'>;
  /** Before code of a plugin from outside is run; gives what ends the phase. */
  readonly watch: WatchPhase;
  /** Looks at the disk and the settings again: what the next start would find. */
  onDisk(): PluginsOnDisk;
  readonly problems: readonly string[];
}

/** Folder that Mortise lies in: the kernel is in `core/dist` of it. */
export const workspaceRoot = (): string => dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Finds, checks, orders and registers the plugins. Throws one StartError with everything that is wrong, but goes on
 * without plugins that `[plugins] OPTIONAL` names.
 */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const leftOut = new Map(options.leftOut);
  for (;;) {
    const composition = await composeOnce(options, leftOut);
    const { causes } = composition;
    if (causes.length === 0) return composition;
    const { optional } = composition;
    const forgiven = forgive(causes, optional);
    if (forgiven.size === 0 || causes.some((one) => !one.plugins.some((name) => isOptional(name, optional)))) {
      if (options.tolerant) return composition;
      composition.metrics.close();
      throw new StartError(causes);
    }
    composition.metrics.close();
    for (const [name, why] of forgiven) leftOut.set(name, why);
  }
}

/** What an operator may not have meant. */
function httpWarnings({ cookies, metrics, server }: KernelSettings['http']): string[] {
  const warnings: string[] = [];
  if (metrics.ENABLED && metrics.TOKEN === '')
    warnings.push('/metrics is open to everybody who reaches this server, through a proxy too: set [metrics] TOKEN');
  if (cookies.SAME_SITE === 'none' && !isSecure(server.ROOT_URL || `${server.PROTOCOL}:`, cookies))
    warnings.push(
      'browsers refuse the cookies of this site: [session] SAME_SITE = none needs HTTPS, an https ROOT_URL or COOKIE_SECURE = true',
    );
  return warnings;
}

async function composeOnce(
  options: ComposeOptions,
  failedOptional: ReadonlyMap<string, string>,
): Promise<Composition & { readonly causes: readonly StartProblem[] }> {
  const root = options.root ?? workspaceRoot();
  const { workDir, settingsRegistry } = openSettings(options);
  const settings = declareKernelSettings(settingsRegistry, workDir);
  settingsRegistry.warnings.push(...httpWarnings(settings.http));
  const log = logOf(options, settings.log);
  const metrics = createMetrics({
    enabled: settings.http.metrics.ENABLED,
    processMetrics: options.processMetrics ?? false,
  });

  const pluginsFrom = options.pluginsFrom ?? workDir;
  const locations = (paths: string) => ({
    root,
    moduleFolders: [join(process.cwd(), 'node_modules'), join(pluginsFrom, 'node_modules')],
    added: join(pluginsFrom, 'plugins'),
    replaced: options.candidates,
    paths: names(paths).map((path) => resolve(pluginsFrom, path)),
  });
  const limitMs = settings.plugins.START_TIMEOUT * 1000;
  const watch = watchWith(workDir, options.journal);
  const chosen = await choosePlugins(locations(settings.plugins.PATHS), {
    settings: settings.plugins,
    without: options.without,
    isSafe: options.isSafe,
    given: options.plugins,
    failed: new Set(failedOptional.keys()),
    workDir,
    limitMs,
    watch,
    found: (packages) => options.journal?.found(packages),
  });
  const leftOut = new Map([...chosen.refused, ...failedOptional]);
  const { ordered, problems: incompatible } = orderPlugins(chosen.loaded, {
    sdkVersion,
    disabled: new Set([...chosen.disabled.map((one) => one.name), ...names(settings.plugins.DISABLED)]),
    written: names(settings.plugins.ENABLED).length > 0 ? undefined : names(settings.plugins.DISABLED),
    failed: chosen.failed,
  });

  const declarations = new Declarations();
  const points = new Points();
  const container = new Container(declarations.services, declarations.overrides);
  register(ordered, {
    declarations,
    points,
    settingsRegistry,
    log,
    watch: (found) => watch(found, 'registers', limitMs),
  });
  for (const id of kernelServices) container.reserve(id);
  checkDeclarations(
    declarations,
    container,
    ordered.map((one) => one.definition),
  );
  points.seal(declarations.contributions, container);
  settingsRegistry.checkLeftovers();

  const clashes = tableClashes(declarations.migrations);
  const causes = [settingsRegistry.faults, chosen.problems, incompatible, declarations.problems, clashes].flat();
  for (const warning of [...settingsRegistry.warnings, ...declarations.warnings])
    log.warn(warning, { event: 'settings.warning' });
  for (const [plugin, why] of failedOptional)
    log.warn(`${why}; going on without it ([plugins] OPTIONAL)`, { event: 'plugin.leftOut', plugin });
  for (const [plugin, why] of chosen.refused) log.warn(why, { event: 'plugin.refused', plugin });

  return {
    root,
    workDir,
    version: kernelVersion(),
    log,
    metrics,
    settingsRegistry,
    settings,
    optional: names(settings.plugins.OPTIONAL),
    plugins: ordered,
    found: chosen.found,
    disabled: chosen.disabled,
    leftOut,
    declarations,
    container,
    points,
    directory: directoryOf(ordered, chosen, leftOut),
    watch,
    onDisk: () => readDisk(options, locations),
    problems: [...new Set(causes.map((one) => one.text))],
    causes,
  };
}

/** What the next start would find. */
function readDisk(options: ComposeOptions, locations: (paths: string) => PluginLocations): PluginsOnDisk {
  const now = openSettings(options).settingsRegistry.declare('core', 'plugins', pluginSettings);
  const [enabled, disabled] = [names(now.ENABLED), names(now.DISABLED)];
  return {
    packages: discoverPlugins(locations(now.PATHS)).packages,
    isOff: (name) => isListed(disabled, name) || (enabled.length > 0 && !enabled.includes(name)),
  };
}

/** Ends a process that hangs in the phase, and notes it for the next start. */
function watchWith(workDir: string, journal: StartJournal | undefined): WatchPhase {
  return (found, phase, limitMs) => {
    const calm = watchPhase(found, phase, { workDir, limitMs });
    const leave = journal?.enter(found, phase, limitMs);
    return () => {
      calm();
      leave?.();
    };
  };
}

function register(
  plugins: readonly LoadedPlugin[],
  into: {
    declarations: Declarations;
    points: Points;
    settingsRegistry: SettingsRegistry;
    log: ManagedLog;
    watch: (found: PluginPackage) => () => void;
  },
): void {
  const present = new Set(plugins.map((one) => one.definition.name));
  for (const plugin of plugins) {
    const { definition } = plugin;
    const leave = isOutside(plugin) ? into.watch(plugin.package) : undefined;
    const { host, close } = createPluginHost(definition, into.declarations, {
      log: into.log.of(definition.name),
      settingsRegistry: into.settingsRegistry,
      points: into.points,
      present,
    });
    try {
      definition.register(host);
    } catch (error) {
      into.declarations.problem(
        definition.name,
        `the plugin ${definition.name} fails while it registers: ${(error as Error).message}`,
      );
    }
    close();
    leave?.();
  }
}

const isOutside = (plugin: LoadedPlugin): plugin is LoadedPlugin & { readonly package: PluginPackage } =>
  plugin.package !== undefined && plugin.package.from !== 'workspace';

const isOptional = (name: string, optional: readonly string[]) =>
  !isNeededToSignIn(name) && (optional.includes('*') || optional.includes(name));

/** Which plugins the start can go on without, and why it has to; of each problem one is enough. */
export function forgive(problems: readonly StartProblem[], optional: readonly string[]): Map<string, string> {
  const forgiven = new Map<string, string>();
  for (const { plugins, text } of problems) {
    const name = plugins.find((one) => isOptional(one, optional));
    if (name && !plugins.some((one) => forgiven.has(one))) forgiven.set(name, text);
  }
  return forgiven;
}

function directoryOf(
  plugins: readonly LoadedPlugin[],
  { found, disabled }: { readonly found: readonly PluginPackage[]; readonly disabled: readonly PluginPackage[] },
  leftOut: ReadonlyMap<string, string>,
): Omit<PluginDirectory, 'states'> {
  const versions = new Map(found.map(({ name, version }) => [name, version]));
  const list = [
    ...plugins.map(({ definition: { name, version, description = '' } }) => ({
      name,
      version,
      description,
      enabled: true,
    })),
    ...disabled.map(({ name, version }) => ({ name, version, description: '', enabled: false })),
    ...[...leftOut].map(([name, problem]) => ({
      name,
      version: versions.get(name) ?? '',
      description: '',
      enabled: false,
      problem,
    })),
  ];
  const on = new Set(plugins.map((one) => one.definition.name));
  return { list: () => list, has: (name) => on.has(name) };
}
