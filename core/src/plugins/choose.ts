import type { PluginDefinition } from '@mortise/plugin-sdk';
import { names } from '../settings/names.js';
import { dependentsOf, isListed } from './disabled.js';
import { discoverPlugins, type PluginLocations, type PluginPackage } from './discover.js';
import type { StartProblem } from './errors.js';
import { endedLastStarts, isNeededToSignIn } from './failed-starts.js';
import { distrustOf } from './integrity.js';
import { loadPlugins, type LoadedPlugin, type WatchPhase } from './load.js';

/** What one start goes without, whatever the settings say. */
export interface StartChoice {
  /** Names of plugins; `package-*` names several. */
  readonly without?: readonly string[];
  /** All plugins that did not come with Mortise. */
  readonly isSafe?: boolean;
}

interface Choice extends StartChoice {
  readonly settings: Readonly<Record<'ENABLED' | 'DISABLED' | 'ALLOWED', string>> & {
    readonly MAX_FAILED_STARTS: number;
  };
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
  const offNow = packages
    .filter(({ name, from }) => isListed(without, name) || (isSafe && from !== 'workspace'))
    .map(({ name }) => name);
  const enabled = names(settings.ENABLED);
  const disabled = [...names(settings.DISABLED), ...offNow];
  const wanted = packages.filter(
    ({ name }) => !isListed(disabled, name) && (enabled.length === 0 || enabled.includes(name)),
  );
  const { refused, problems: distrusted } = refusals(wanted, choice);
  const result = await loadPlugins(packages, {
    ...choice,
    enabled,
    disabled,
    without: new Set([...choice.failed, ...refused.keys(), ...distrusted.flatMap(({ plugins }) => plugins)]),
  });
  const definitions = result.loaded.map(({ definition }) => definition);
  const offWithThem = new Set(dependentsOf(definitions, new Set(offNow)));
  const dependents = dependentsOf(definitions, new Set(refused.keys())).filter(
    (name) => !offWithThem.has(name) && !isNeededToSignIn(name),
  );
  for (const name of dependents) refused.set(name, `the plugin ${name} is left out with a plugin that it requires`);
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
      ...distrusted,
      ...result.problems,
    ],
    failed: new Set([...result.failed, ...dependents]),
  };
}

/** Those that are not loaded though they are on; the start goes on, unless it takes one of them to sign in. */
function refusals(
  wanted: readonly PluginPackage[],
  { settings, workDir }: Choice,
): { refused: Map<string, string>; problems: StartProblem[] } {
  const refused = endedLastStarts(wanted, workDir, settings.MAX_FAILED_STARTS);
  const problems: StartProblem[] = [];
  for (const one of wanted) {
    const text = distrustOf(one, names(settings.ALLOWED));
    if (text === undefined) continue;
    if (isNeededToSignIn(one.name)) problems.push({ plugins: [one.name], text });
    else refused.set(one.name, text);
  }
  return { refused, problems };
}
