import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sdkVersion, type PluginDefinition, type PluginDirectory } from '@mortise/plugin-sdk';
import {
  loadPlugins,
  orderPlugins,
  StartError,
  type LoadedPlugin,
  type PluginFailure,
  type PluginPackage,
} from './plugins/index.js';
import {
  checkDeclarations,
  Container,
  createPluginHost,
  Declarations,
  Points,
  tableClashes,
} from './registry/index.js';
import { declareKernelSettings, names, SettingsBook, type KernelSettings } from './settings/index.js';
import { openSettings, type SettingsPlace } from './settings/open.js';
import { createLog, createMetrics, type LogLevel, type LogRoom, type MetricsRoom } from './telemetry/index.js';
import { kernelServices } from './kernel-services.js';

export interface ComposeOptions extends SettingsPlace {
  /** Only these plugins and what they require: names, or definitions. Absent: all that are found. */
  readonly plugins?: readonly (string | PluginDefinition)[];
  readonly logLevel?: LogLevel;
  readonly logStream?: 'stdout' | 'stderr';
  /** Metrics of the process (memory, event loop) beside those of plugins. */
  readonly processMetrics?: boolean;
  /** Workspace with `plugins/`; default: where the kernel is installed. */
  readonly root?: string;
  /** Gives the composition with its problems instead of throwing them. */
  readonly tolerant?: boolean;
}

/** Plugins and settings, put together and checked, before any of it touches a database. */
export interface Composition {
  readonly root: string;
  readonly workDir: string;
  readonly version: string;
  readonly log: LogRoom;
  readonly metrics: MetricsRoom;
  readonly book: SettingsBook;
  readonly settings: KernelSettings;
  readonly plugins: readonly LoadedPlugin[];
  readonly disabled: readonly PluginPackage[];
  readonly declarations: Declarations;
  readonly container: Container;
  readonly points: Points;
  readonly directory: PluginDirectory;
  readonly problems: readonly string[];
}

/** Root of the workspace: the kernel lies in `core/dist` of it. */
export const workspaceRoot = (): string => dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const kernelVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;

/** Finds, checks, orders and registers the plugins. Throws one StartError with everything that is wrong. */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const root = options.root ?? workspaceRoot();
  const { workDir, book } = openSettings(options);
  const settings = declareKernelSettings(book);
  const log = createLog({ level: options.logLevel ?? settings.log.LEVEL, stream: options.logStream ?? 'stdout' });
  const metrics = createMetrics({
    enabled: settings.http.metrics.ENABLED,
    processMetrics: options.processMetrics ?? false,
  });

  const found = await loadPlugins(
    {
      root,
      moduleFolders: [join(process.cwd(), 'node_modules'), join(workDir, 'node_modules')],
      paths: names(settings.plugins.PATHS).map((path) => resolve(workDir, path)),
    },
    { enabled: names(settings.plugins.ENABLED), disabled: names(settings.plugins.DISABLED), given: options.plugins },
  );
  const disabledNames = new Set([...found.disabled.map((one) => one.name), ...names(settings.plugins.DISABLED)]);
  const { ordered, failures } = orderPlugins(found.loaded, {
    sdkVersion,
    disabled: disabledNames,
    failed: new Set(found.failures.map((one) => one.name)),
  });

  const declarations = new Declarations();
  const points = new Points();
  const container = new Container(declarations.services);
  register(ordered, { declarations, points, book, log });
  for (const id of kernelServices) container.reserve(id);
  checkDeclarations(
    declarations,
    container,
    ordered.map((one) => one.definition),
  );
  points.seal(declarations.contributions, container);
  book.checkLeftovers();

  const { severe, forgiven } = judge([...found.failures, ...failures], names(settings.plugins.OPTIONAL));
  const clashes = await tableClashes(declarations.migrations);
  const problems = [...new Set([...book.problems, ...found.problems, ...severe, ...declarations.problems, ...clashes])];
  if (problems.length && !options.tolerant) {
    metrics.close();
    throw new StartError(problems);
  }
  for (const warning of [...book.warnings, ...declarations.warnings, ...forgiven]) log.warn(warning);

  return {
    root,
    workDir,
    version: kernelVersion(),
    log,
    metrics,
    book,
    settings,
    plugins: ordered,
    disabled: found.disabled,
    declarations,
    container,
    points,
    directory: directoryOf(ordered, found.disabled),
    problems,
  };
}

function register(
  plugins: readonly LoadedPlugin[],
  into: { declarations: Declarations; points: Points; book: SettingsBook; log: LogRoom },
): void {
  const present = new Set(plugins.map((one) => one.definition.name));
  for (const { definition } of plugins) {
    const { host, close } = createPluginHost(definition, into.declarations, {
      log: into.log.of(definition.name),
      book: into.book,
      points: into.points,
      present,
    });
    try {
      definition.register(host);
    } catch (error) {
      into.declarations.problems.push(
        `the plugin ${definition.name} fails while it registers: ${(error as Error).message}`,
      );
    }
    close();
  }
}

/** Signing in is never optional: without one of these, a door could stand open. */
const neverOptional = (name: string) => name.startsWith('auth-') || name === 'accounts' || name === 'sessions';

/** Only the operator may say that the start goes on without a plugin; `*` means any. */
function judge(failures: readonly PluginFailure[], optional: readonly string[]) {
  const forgivable = (name: string) => !neverOptional(name) && (optional.includes('*') || optional.includes(name));
  return {
    severe: failures.filter((one) => !forgivable(one.name)).map((one) => one.text),
    forgiven: failures
      .filter((one) => forgivable(one.name))
      .map((one) => `${one.text}; going on without it ([plugins] OPTIONAL)`),
  };
}

function directoryOf(plugins: readonly LoadedPlugin[], disabled: readonly PluginPackage[]): PluginDirectory {
  const list = [
    ...plugins.map(({ definition: { name, version, description = '' } }) => ({
      name,
      version,
      description,
      enabled: true,
    })),
    ...disabled.map(({ name, version }) => ({ name, version, description: '', enabled: false })),
  ];
  const on = new Set(plugins.map((one) => one.definition.name));
  return { list: () => list, has: (name) => on.has(name) };
}
