import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { withTimeout, type PluginDefinition } from '@mortise/plugin-sdk';
import type { PluginPackage } from './discover.js';
import { linkPeers } from './link-peers.js';
import { isListed } from './disabled.js';
import type { StartProblem } from './errors.js';
import { blockedBefore } from './startup-watchdog.js';

/** A plugin whose definition is at hand. */
export interface LoadedPlugin {
  readonly definition: PluginDefinition;
  readonly package?: PluginPackage;
}

interface LoadResult {
  readonly loaded: LoadedPlugin[];
  /** Those that are off by setting. */
  readonly disabled: PluginPackage[];
  readonly problems: StartProblem[];
  /** Names of those that could not be loaded. */
  readonly failed: ReadonlySet<string>;
}

/** Before code of a plugin is run, in words as in "the plugin pager …"; gives what ends the phase. */
export type WatchPhase = (plugin: PluginPackage, phase: string, limitMs: number) => () => void;

interface Choice {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  /** Definitions and names given by the program (tests); what they require is loaded with them. */
  readonly given?: readonly (string | PluginDefinition)[];
  /** Names of those that failed before and are left out. */
  readonly without?: ReadonlySet<string>;
  readonly workDir: string;
  /** How long one plugin from outside may take to be loaded. */
  readonly limitMs: number;
  readonly watch: WatchPhase;
}

/** Imports the plugins that are on; of a disabled one, nothing is run. */
export async function loadPlugins(packages: readonly PluginPackage[], choice: Choice): Promise<LoadResult> {
  const problems: StartProblem[] = [];
  const failed = new Set(choice.without);
  const byName = new Map<string, PluginPackage>();
  for (const one of packages) {
    const before = byName.get(one.name);
    if (before && !failed.has(one.name))
      problems.push({
        plugins: [one.name],
        text: `the plugin ${one.name} is there twice: ${before.folder} and ${one.folder}; remove one or list it in [plugins] DISABLED`,
      });
    else byName.set(one.name, one);
  }

  const given = choice.given;
  const definitions = (given ?? []).filter((one) => typeof one !== 'string');
  const definedNames = new Set(definitions.map((one) => one.name));
  const isDisabled = (name: string) => isListed(choice.disabled, name);
  const only = choice.enabled.length ? new Set(choice.enabled) : undefined;
  for (const name of only ?? []) {
    if (!byName.has(name) && !definedNames.has(name) && !failed.has(name))
      problems.push({ plugins: [name], text: `[plugins] ENABLED names ${name}, but there is no such plugin` });
  }

  const loaded = new Map<string, LoadedPlugin>(
    definitions
      .filter((one) => !isDisabled(one.name) && !failed.has(one.name))
      .map((definition) => [definition.name, { definition }]),
  );
  const disabled = packages.filter((one) => isDisabled(one.name) || (only !== undefined && !only.has(one.name)));
  const isOff = new Set(disabled.map((one) => one.name));
  // all before the first is loaded: one imports the contract of another
  const unlinked = new Map(
    packages
      .filter(({ from, name }) => from !== 'workspace' && !isOff.has(name))
      .map((one) => [one, linkPeers(one, packages)]),
  );

  let wanted = given
    ? [...given.filter((one) => typeof one === 'string'), ...requirements(definitions)]
    : [...byName.keys()];
  const seen = new Set<string>();
  while (wanted.length) {
    const round = [...new Set(wanted)].filter(
      (name) => !seen.has(name) && !loaded.has(name) && !isOff.has(name) && !failed.has(name),
    );
    round.forEach((name) => seen.add(name));
    for (const name of round) {
      if (!byName.has(name) && given?.includes(name))
        problems.push({ plugins: [name], text: `there is no plugin ${name}` });
    }
    const plugins = round.map((name) => byName.get(name)).filter((one) => one !== undefined);
    wanted = [];
    // one after the other, so that it is known who is waited for
    for (const one of plugins) {
      const result =
        one.from === 'workspace' ? await importPlugin(one) : await importOutside(one, unlinked.get(one), choice);
      if ('failure' in result) {
        problems.push({ plugins: [result.name], text: result.failure });
        failed.add(result.name);
      } else {
        loaded.set(result.definition.name, result);
        if (given) wanted.push(...requirements([result.definition]));
      }
    }
  }
  return { loaded: [...loaded.values()], disabled, problems, failed };
}

const requirements = (definitions: readonly PluginDefinition[]) =>
  definitions.flatMap((one) => Object.keys(one.requires ?? {}));

type ImportResult = (LoadedPlugin & { package: PluginPackage }) | { name: string; failure: string };

/** Within its time, which it may spend in an endless loop or in waiting for what never comes. */
async function importOutside(
  found: PluginPackage,
  unlinked: string | undefined,
  limits: Choice,
): Promise<ImportResult> {
  const before = blockedBefore(found, limits.workDir);
  if (before !== undefined) return { name: found.name, failure: before };
  if (unlinked !== undefined) return { name: found.name, failure: unlinked };
  const leave = limits.watch(found, 'is loaded', limits.limitMs);
  const late = `the plugin ${found.name} has not finished loading after ${limits.limitMs / 1000} seconds`;
  try {
    return await withTimeout(
      limits.limitMs,
      () => new Error(late),
      () => importPlugin(found),
    );
  } catch (error) {
    return { name: found.name, failure: (error as Error).message };
  } finally {
    leave();
  }
}

async function importPlugin(found: PluginPackage): Promise<ImportResult> {
  const fail = (text: string) => ({ name: found.name, failure: `the plugin ${found.name} ${text}` });
  if (!existsSync(found.entry)) return fail(`is not built: ${found.entry} is missing`);
  let definition: unknown;
  try {
    definition = await importDefinition(found.entry);
  } catch (error) {
    return fail(`cannot be loaded: ${importMessage(error)}`);
  }
  if (!isDefinition(definition)) {
    return fail(
      `gives no definition: ${found.entry} must export definePlugin({ name, version, sdk, register }) as default`,
    );
  }
  if (definition.name !== found.name)
    return fail(`calls itself ${definition.name} in its definition; package and definition must agree`);
  return { definition, package: found };
}

export const importDefinition = async (entry: string): Promise<unknown> =>
  ((await import(pathToFileURL(entry).href)) as { default?: unknown }).default;

function importMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const where = /^\s+at .*?\(?(?:file:\/\/)?(\/[^)\s]+:\d+:\d+)\)?$/m.exec(error.stack ?? '')?.[1];
  return where && !error.message.includes(where) ? `${error.message} (${where})` : error.message;
}

function isDefinition(value: unknown): value is PluginDefinition {
  const one = value as Partial<PluginDefinition> | null | undefined;
  return (
    typeof one === 'object' &&
    one !== null &&
    typeof one.name === 'string' &&
    typeof one.version === 'string' &&
    typeof one.sdk === 'string' &&
    typeof one.register === 'function'
  );
}
