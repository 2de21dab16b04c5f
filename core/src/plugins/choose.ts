import type { PluginDefinition } from '@mortise/plugin-sdk';
import { names } from '../settings/names.js';
import { dependentsOf, isListed } from './disabled.js';
import { discoverPlugins, type PluginLocations, type PluginPackage } from './discover.js';
import type { StartProblem } from './errors.js';
import { endedLastStarts, isNeededToSignIn } from './failed-starts.js';
import { loadPlugins, type LoadedPlugin, type WatchPhase } from './load.js';

/** What one start goes without, whatever the settings say. */
export interface StartChoice {
  /** Names of plugins; `package-*` names several. */
  readonly without?: readonly string[];
  /** All plugins that did not come with Mortise. */
  readonly isSafe?: boolean;
}

interface Choice extends StartChoice {
  readonly settings: { readonly ENABLED: string; readonly DISABLED: string; readonly MAX_FAILED_STARTS: number };
  /** Definitions and names given by the program (tests); what they require is loaded with them. */
  readonly given?: readonly (string | PluginDefinition)[];
  /** Names of those that failed before and are left out. */
  readonly failed: ReadonlySet<string>;
  readonly workDir: string;
  readonly limitMs: number;
  readonly watch: WatchPhase;
  /** Is told what lies there before any of it is run. */
  readonly found?: (packages: readonly PluginPackage[]) => void;
}

interface ChosenPlugins {
  readonly loaded: readonly LoadedPlugin[];
  /** All that were found. */
  readonly found: readonly PluginPackage[];
  /** Found, and off by setting or for this start. */
  readonly disabled: readonly PluginPackage[];
  /** On by the settings, and left out nevertheless: why, by name. */
  readonly refused: ReadonlyMap<string, string>;
  readonly problems: readonly StartProblem[];
  /** Names of those that could not be loaded. */
  readonly failed: ReadonlySet<string>;
}

/** Finds the plugins and loads those that this start is to have. */
export async function choosePlugins(locations: PluginLocations, choice: Choice): Promise<ChosenPlugins> {
  const { packages, problems: misnamed } = discoverPlugins(locations);
  choice.found?.(packages);
  const { without = [], isSafe = false, settings } = choice;
  const off = packages
    .filter(({ name, from }) => isListed(without, name) || (isSafe && from !== 'workspace'))
    .map(({ name }) => name);
  const ended = endedLastStarts(
    packages.filter(({ name }) => !off.includes(name)),
    choice.workDir,
    settings.MAX_FAILED_STARTS,
  );
  const result = await loadPlugins(packages, {
    ...choice,
    enabled: names(settings.ENABLED),
    disabled: [...names(settings.DISABLED), ...off],
    without: new Set([...choice.failed, ...ended.keys()]),
  });
  const definitions = result.loaded.map(({ definition }) => definition);
  const offWithThem = new Set(dependentsOf(definitions, new Set(off)));
  const dependents = dependentsOf(definitions, new Set(ended.keys())).filter(
    (name) => !offWithThem.has(name) && !isNeededToSignIn(name),
  );
  const isOff = new Set(result.disabled.map(({ name }) => name));
  const refused = new Map([
    ...[...ended].filter(([name]) => !isOff.has(name)),
    ...dependents.map((name) => [name, `the plugin ${name} is left out with a plugin that it requires`] as const),
  ]);
  return {
    loaded: result.loaded.filter(({ definition: { name } }) => !offWithThem.has(name) && !refused.has(name)),
    found: packages,
    disabled: [...result.disabled, ...packages.filter(({ name }) => offWithThem.has(name))],
    refused,
    problems: [
      ...misnamed.map((text) => ({ plugins: [], text })),
      ...without
        .filter((pattern) => !packages.some(({ name }) => isListed([pattern], name)))
        .map((pattern) => ({ plugins: [], text: `--without names ${pattern}, but there is no such plugin` })),
      ...result.problems,
    ],
    failed: new Set([...result.failed, ...dependents]),
  };
}
