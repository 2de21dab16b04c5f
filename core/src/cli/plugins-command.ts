import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { BadRequest, pluginCatalogue, type CataloguePlugin } from '@mortise/plugin-sdk';
import type { Host, HostOptions } from '../host.js';
import type { Composition } from '../compose.js';
import { summarizeErrors, type ErrorSummary } from '../plugin-errors/report.js';
import { isKind, kinds, writeSkeleton } from './new-plugin.js';
import type { PluginPackage } from '../plugins/discover.js';
import { recordOf } from '../plugins/integrity.js';
import { pendingChange } from '../plugins/states.js';
import { runningInstance } from '../instance/index.js';
import { withExample } from './plugin-commands.js';
import { capabilitiesOf } from '../installed-plugins/capabilities.js';
import { capabilitiesLine, pluginChangeCommands } from './plugin-changes.js';

/** `mortise plugins list|info|search|add|update|remove|enable|disable|check|new`. */
export function pluginsCommand(program: Command, options: () => HostOptions): void {
  const plugins = program.command('plugins').description('List, add, update and switch off plugins');
  withExample(plugins, 'plugins disable wiki');

  plugins
    .command('list')
    .description('Plugins that are found, and whether they are on')
    .action(async () => {
      const { compose } = await import('../compose.js');
      const composition = await compose({ ...options(), logStream: 'stderr', logLevel: 'none', tolerant: true });
      const faults = await errorsBeside(options(), composition);
      for (const line of listOf(composition, faults, await runningPlugins(composition.workDir))) console.log(line);
      for (const problem of composition.problems) console.error(`problem: ${problem}`);
      if (composition.problems.length) process.exitCode = 1;
    });

  plugins
    .command('info <name>')
    .alias('show')
    .description('Where a plugin lies, and everything that it registers')
    .action(async (name: string) => {
      const { createHost } = await import('../host.js');
      const host = await createHost({ ...options(), logStream: 'stderr', logLevel: 'warn' });
      try {
        for (const line of describe(host, name)) console.log(line);
      } finally {
        await host.stop();
      }
    });

  pluginChangeCommands(plugins, options);

  plugins
    .command('search [words...]')
    .description('Look for plugins in the registry of [plugins] CATALOGUE_URL; what it says of them nobody has checked')
    .action(async (words: string[]) => {
      const { createHost } = await import('../host.js');
      const host = await createHost({ ...options(), logStream: 'stderr', logLevel: 'warn', tolerant: true });
      try {
        const found = await host.get(pluginCatalogue).search(words.join(' '));
        if (found.length === 0) console.log('no plugin was found');
        for (const line of found.flatMap(catalogueLines)) console.log(line);
      } finally {
        await host.stop();
      }
    });

  plugins
    .command('check')
    .description(
      'Whether the plugins that did not come with Mortise allow another version, and what they use that will go',
    )
    .requiredOption('--for <version>', 'version of the SDK, which the changelog of the release names')
    .action(async ({ for: target }: { for: string }) => {
      const { checkPluginsFor } = await import('../installed-plugins/version-check.js');
      const checks = await checkPluginsFor(options(), target);
      if (checks.length === 0) console.log('all plugins came with Mortise');
      for (const { name, version, range, fits, notes } of checks) {
        console.log(`${name} ${version} ${fits ? `allows ${target}` : `does not allow ${target}`} (${range})`);
        for (const note of notes) console.log(`  ${note}`);
      }
      if (checks.some(({ fits }) => !fits)) process.exitCode = 1;
    });

  plugins
    .command('new <kind> <name>')
    .description(`Write a working, tested skeleton; kinds: ${kinds.join(', ')}`)
    .option('--dir <folder>', 'folder to write (default: mortise-plugin-<name> here)')
    .action(async (kind: string, name: string, { dir }: { dir?: string }) => {
      if (!isKind(kind)) throw BadRequest(`"${kind}" is not a kind of plugin. Use one of: ${kinds.join(', ')}.`);
      const { folder, files, plugin } = writeSkeleton(kind, name, dir);
      console.log(`written to ${folder}:`);
      for (const file of files) console.log(`  ${file}`);
      console.log(
        `then: cd ${folder}, npm install, npm test; mortise dev ${folder} serves with it (it is called ${plugin})`,
      );
    });
}

function catalogueLines({ packageName, version, description, publisher, ...state }: CataloguePlugin): string[] {
  const { installed, isUpdate, isAllowed } = state;
  const here = isUpdate ? ` (${installed} is added)` : installed === undefined ? '' : ' (added)';
  return [
    `${packageName} ${version}${here}${isAllowed ? '' : ' ([plugins] ALLOWED does not name it)'}`,
    `  ${[description, publisher && `published by ${publisher}`].filter(Boolean).join('; ')}`,
  ];
}

/** What the database knows of faults, where there is one; listing plugins makes none. */
async function errorsBeside(
  options: HostOptions,
  { settings, workDir }: Composition,
): Promise<readonly ErrorSummary[]> {
  if (settings.database.DB_TYPE === 'sqlite3' && !existsSync(resolve(workDir, settings.database.PATH))) return [];
  try {
    const { createHost } = await import('../host.js');
    const host = await createHost({ ...options, logStream: 'stderr', logLevel: 'none', tolerant: true });
    try {
      return await summarizeErrors(host.composition, host.database, host.pluginErrors);
    } finally {
      await host.stop();
    }
  } catch {
    return []; // no database, or not these tables yet
  }
}

/** One line a plugin: on, off or left out, its version, where it is from, and what it is. */
function* listOf(
  { directory, found }: Composition,
  faults: readonly ErrorSummary[],
  site: RunningPlugins | undefined,
): Iterable<string> {
  const list = directory.list();
  const disk = new Map(found.map((one) => [one.name, one]));
  const running = site?.versions;
  const width = Math.max(...list.map((one) => one.name.length), 4);
  for (const { name, version, description, enabled, problem: ownProblem } of list) {
    const problem = ownProblem ?? site?.failed.get(name);
    const from = disk.get(name)?.from;
    const where = from === undefined || from === 'workspace' ? '' : ` (${from})`;
    const state = problem ? '!  ' : enabled ? 'on ' : 'off';
    const mine = faults.filter((one) => one.plugin === name);
    yield `${state}  ${name.padEnd(width)}  ${version.padEnd(8)}  ${problem ?? description}${where}`;
    const waiting = running && !problem && pendingChange(running.get(name), disk.get(name), !enabled);
    if (waiting) yield `     ${' '.repeat(width)}  ~ ${waitingTexts[waiting](running.get(name) ?? '', version)}`;
    for (const { text } of mine) yield `     ${' '.repeat(width)}  ! ${text}`;
  }
  const listed = new Set(list.map((one) => one.name));
  for (const [name, version] of running ?? [])
    if (!listed.has(name))
      yield `off  ${name.padEnd(width)}  ${version.padEnd(8)}  removed; it runs until the next restart`;
}

const waitingTexts = {
  start: (_running: string, version: string) => `${version} does not run yet: it waits for a restart`,
  update: (running: string, version: string) => `${running} runs; ${version} waits for a restart`,
  stop: (running: string) => `${running} runs until the next restart`,
} as const;

interface RunningPlugins {
  readonly versions: ReadonlyMap<string, string>;
  readonly failed: ReadonlyMap<string, string>;
}

/** What the servers of the work folder run, and go on without; undefined: none is running. */
async function runningPlugins(workDir: string): Promise<RunningPlugins | undefined> {
  const notes = (await runningInstance(workDir)).filter(({ plugins }) => plugins);
  if (notes.length === 0) return undefined;
  return {
    versions: new Map(notes.flatMap(({ plugins = {} }) => Object.entries(plugins))),
    failed: new Map(notes.flatMap(({ failed = {} }) => Object.entries(failed))),
  };
}

function* describe(host: Host, name: string): Iterable<string> {
  const { plugins, declarations, settingsRegistry } = host.composition;
  const plugin = plugins.find((one) => one.definition.name === name);
  const why = host.composition.leftOut.get(name);
  if (!plugin) throw BadRequest(`The plugin ${name} is not loaded${why === undefined ? '' : `: ${why}`}.`);
  const { definition } = plugin;
  const mine = (one: { owner: string }) => one.owner === name;
  yield `${name} ${definition.version}${definition.description ? `: ${definition.description}` : ''}`;
  if (plugin.package) yield `in ${plugin.package.folder} (${plugin.package.from})`;
  if (plugin.package?.from === 'added') yield integrityLine(plugin.package);
  if (plugin.package && plugin.package.from !== 'workspace')
    yield capabilitiesLine(capabilitiesOf(host.composition, name));
  yield* section(
    'requires',
    Object.entries({ ...definition.requires }).map(([other, range]) => `${other} ${range}`),
  );
  yield* section(
    'uses when on',
    Object.entries({ ...definition.optional }).map(([other, range]) => `${other} ${range}`),
  );
  yield* section(
    'settings',
    settingsRegistry.declared.filter(mine).map((one) => `[${one.section}] ${one.key} = ${one.defaultText}`),
  );
  yield* section(
    'services',
    [...declarations.services.values()].filter(mine).map(({ ref: { id } }) => {
      const override = declarations.overrides.get(id);
      return override ? `${id}, overridden by ${override.owner}` : id;
    }),
  );
  yield* section(
    'overrides',
    [...declarations.overrides.values()]
      .filter(mine)
      .map(({ ref: { id } }) => `${id} of ${declarations.services.get(id)?.owner}`),
  );
  const provided = [...declarations.provided.values()].filter(mine);
  yield* section(
    'events',
    provided.filter(({ ref }) => ref.kind === 'event').map(({ ref }) => ref.id),
  );
  yield* section(
    'extension points',
    provided.filter(({ ref }) => ref.kind === 'point').map(({ ref }) => ref.id),
  );
  yield* section(
    'contributions',
    declarations.contributions.filter(mine).map((one) => `${one.ref.id}${one.key ? `: ${one.key}` : ''}`),
  );
  yield* section(
    'subscriptions',
    declarations.subscriptions.filter(mine).map((one) => `${one.event.id} (${one.when}): ${one.id}`),
  );
  yield* section(
    'jobs',
    [...declarations.jobs.values()].filter(mine).map((one) => one.job.id),
  );
  yield* section(
    'schedules',
    declarations.schedules.filter(mine).map((one) => `${one.id}: ${one.cron}`),
  );
  yield* section(
    'commands',
    [...declarations.commands.values()].filter(mine).map((one) => `mortise ${one.command.name}`),
  );
  yield* section(
    'health checks',
    declarations.healthChecks.filter(mine).map((one) => one.id),
  );
  yield* section(
    'doctor',
    declarations.doctors.filter(mine).map((one) => one.id),
  );
  yield* section(
    'islands',
    declarations.islands.filter(mine).map((one) => one.name),
  );
  yield* section(
    'routes',
    host
      .routes()
      .filter(mine)
      .map(({ value }) => `${value.method} ${value.path}`),
  );
}

function integrityLine(found: PluginPackage): string {
  const integrity = recordOf(found)?.integrity;
  return integrity === undefined
    ? 'no sha512 was recorded as it was added: mortise plugins update records one'
    : `${integrity} (recorded as it was added, and checked at each start)`;
}

function* section(title: string, lines: readonly string[]): Iterable<string> {
  if (lines.length === 0) return;
  yield `${title}:`;
  for (const line of lines) yield `  ${line}`;
}
