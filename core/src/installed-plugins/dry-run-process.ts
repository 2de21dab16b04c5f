/** The process of a trial start; see `dryRun`. */
import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { workspaceRoot } from '../compose.js';
import { createDatabase, databaseSettings } from '../database/index.js';
import { findSchemaProblems } from '../database/schema-check.js';
import { createHost, type Host, type HostOptions } from '../host.js';
import { discoverPlugins } from '../plugins/discover.js';
import { causesOf, StartError } from '../plugins/errors.js';
import { namedBy } from '../plugins/link-peers.js';
import { openSettings } from '../settings/open.js';
import { contentsOf } from './contents.js';
import type { DryRunResult, DryRunTask } from './dry-run.js';

process.once('message', (task: DryRunTask) => void answer(task));
// whoever asked is gone
process.once('disconnect', () => process.exit(1));

async function answer(task: DryRunTask): Promise<void> {
  // told by the running site, where it does no more harm than in any plugin
  process.on('unhandledRejection', () => undefined);
  let result: DryRunResult;
  try {
    result = await resultOf(task);
  } catch (error) {
    result = { problems: error instanceof StartError ? error.problems : [(error as Error).message] };
  }
  process.send?.(result);
}

async function resultOf(task: DryRunTask): Promise<DryRunResult> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-trial-'));
  try {
    const host = await createHost({
      ...dryRunOptions(task, folder),
      candidates: [task.candidate, ...(await copyDependents(task, join(folder, 'dependents')))],
    });
    try {
      const problems = await dryRunProblems(host, task);
      return problems.length > 0 ? { problems } : { problems, contents: await contentsOf(host, task.name) };
    } finally {
      await Promise.race([host.stop(), new Promise((resolve) => setTimeout(resolve, 5000).unref())]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Added plugins that build upon the candidate are tried as copies: their links are to lead to it, and those of a server
 * that runs are to stay as they are.
 */
async function copyDependents({ options, candidate }: DryRunTask, folder: string): Promise<string[]> {
  const { workDir } = openSettings(options);
  const { packages } = discoverPlugins({
    root: options.root ?? workspaceRoot(),
    added: join(workDir, 'plugins'),
    replaced: [candidate],
  });
  const added = packages.filter(({ from }) => from === 'added');
  const concerned = new Set(added.filter((one) => one.folder === realpathSync(candidate)));
  // the set grows while it is walked through
  for (const one of concerned) for (const other of added) if (namedBy(other, [one]).length > 0) concerned.add(other);
  const [, ...dependents] = [...concerned];
  for (const one of dependents)
    await cp(one.folder, join(folder, one.name), { recursive: true, verbatimSymlinks: true });
  return dependents.map(({ name }) => join(folder, name));
}

/** Everything as on the site, but for what would be written. */
function dryRunOptions({ options, startTimeout }: DryRunTask, folder: string): HostOptions {
  const { workDir, settingsRegistry } = openSettings(options);
  return {
    ...options,
    workDir: folder,
    pluginsFrom: workDir,
    ...(existsSync(settingsRegistry.file) && { config: settingsRegistry.file }),
    settings: {
      ...options.settings,
      database: { ...options.settings?.database, DB_TYPE: 'sqlite3', PATH: join(folder, 'trial.db') },
      redis: { ...options.settings?.redis, CONN_STR: '' },
      plugins: { ...options.settings?.plugins, START_TIMEOUT: startTimeout },
    },
    tolerant: true,
    logLevel: 'none',
  };
}

async function dryRunProblems(host: Host, task: DryRunTask): Promise<readonly string[]> {
  const { composition } = host;
  const declared = composition.problems.filter((one) => !task.knownProblems.includes(one));
  if (declared.length > 0) return declared;
  const older = await tableProblems(host, task);
  if (older.length > 0) return older;
  try {
    // on the site, everything else is there when its migrations come
    const others = (await host.knownMigrations()).filter((one) => !one.startsWith(`${task.name}/`));
    await host.migrate({ only: others });
    await host.start({ background: false, startOnly: task.name });
  } catch (error) {
    const causes = causesOf(error);
    // what is wrong with others is not its fault
    const own = causes.filter(({ plugins }) => plugins.length === 0 || plugins.includes(task.name));
    return [...new Set(own.map((one) => one.text))];
  }
  return [];
}

/** Does it fit the tables that it may have left on the site's own database? */
async function tableProblems(host: Host, { options, name }: DryRunTask): Promise<readonly string[]> {
  const { workDir, settings, log } = realDatabase(options);
  if (settings.DB_TYPE === 'sqlite3') {
    const file = isAbsolute(settings.PATH) ? settings.PATH : join(workDir, settings.PATH);
    if (!existsSync(file)) return [];
  }
  const own = host.migrationSources().filter((one) => one.owner === name);
  if (own.length === 0) return [];
  const database = await createDatabase({ settings, workDir, log });
  try {
    const newer = await database.newerMigrations(own);
    if (newer !== undefined) return [newer];
    return (await findSchemaProblems(database, host.migrationSources(), new Set([name]))).map(
      ({ text, isForgettable }) =>
        `${text}; ${isForgettable ? 'mortise doctor --fix forgets what is not there any more' : 'restore a back-up from when it was whole, or remove its data'}`,
    );
  } finally {
    await database.close();
  }
}

function realDatabase(options: DryRunTask['options']) {
  const { workDir, settingsRegistry } = openSettings(options);
  return {
    workDir,
    settings: declareDatabase(settingsRegistry),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  };
}

const declareDatabase = (settingsRegistry: ReturnType<typeof openSettings>['settingsRegistry']) =>
  settingsRegistry.declare('core', 'database', databaseSettings);
