import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';
import type { PluginDefinition } from '@mortise/plugin-sdk';
import { dependentsOf } from './disabled.js';
import type { StartProblem } from './errors.js';
import type { LoadedPlugin } from './load.js';

const nameRule = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

interface OrderResult {
  /** Each after all that it requires or uses. */
  readonly ordered: LoadedPlugin[];
  readonly problems: StartProblem[];
}

/**
 * Checks names, versions and requirements, and orders. A plugin that fails takes along those that require it, each
 * with its own sentence.
 */
export function orderPlugins(
  plugins: readonly LoadedPlugin[],
  context: {
    sdkVersion: string;
    disabled: ReadonlySet<string>;
    failed: ReadonlySet<string>;
    written?: readonly string[];
  },
): OrderResult {
  const problems: StartProblem[] = [];
  const good = new Map<string, LoadedPlugin>();
  for (const plugin of plugins) {
    const faults = faultsOf(plugin, context.sdkVersion);
    if (faults.length === 0) good.set(plugin.definition.name, plugin);
    problems.push(...faults.map((text) => ({ plugins: [plugin.definition.name], text })));
  }

  const broken = new Set([...context.failed, ...problems.flatMap((one) => one.plugins)]);
  for (let again = true; again;) {
    again = false;
    for (const [name, { definition }] of good) {
      const faults = [...unmet(definition, good, broken, context.disabled)];
      if (faults.length === 0) continue;
      problems.push(...faults.map((fault) => ({ plugins: [name], ...fault })));
      good.delete(name);
      broken.add(name);
      again = true;
    }
  }

  const dependents = dependentsOf(
    plugins.map(({ definition }) => definition),
    context.disabled,
  );
  if (dependents.length > 0) {
    const { written = [...context.disabled] } = context;
    problems.push({
      plugins: dependents,
      text: `others cannot do without what is disabled; to go on without them too: [plugins] DISABLED = ${[...written, ...dependents].join(', ')}`,
    });
  }

  const { ordered, cycles } = sort(good);
  for (const cycle of cycles) {
    problems.push({
      plugins: cycle,
      text: `the plugins ${[...cycle, cycle[0]].join(' → ')} require each other in a circle`,
    });
  }
  return { ordered, problems };
}

function faultsOf({ definition, package: found }: LoadedPlugin, sdkVersion: string): string[] {
  const { name, version, sdk, requires = {}, optional = {} } = definition;
  const faults: string[] = [];
  if (!nameRule.test(name))
    faults.push(`the plugin "${name}" has a wrong name: use small letters, digits and single dashes`);
  if (name === 'core') faults.push('no plugin may call itself core');
  if (!valid(version))
    faults.push(`the plugin ${name} has the version "${version}", which is no semantic version such as 1.2.0`);
  else if (found && found.version !== version)
    faults.push(
      `the plugin ${name} is ${version} in its definition and ${found.version} in its package.json; both must agree`,
    );
  if (!validRange(sdk))
    faults.push(`the plugin ${name} wants the SDK in the range "${sdk}", which is no range such as ^1.0.0`);
  else if (!satisfies(sdkVersion, sdk, { includePrerelease: true })) {
    faults.push(`the plugin ${name} ${version} wants the SDK ${sdk}, but this is ${sdkVersion}`);
  }
  for (const [other, range] of Object.entries({ ...requires, ...optional })) {
    if (!validRange(range))
      faults.push(`the plugin ${name} wants ${other} in the range "${range}", which is no range such as ^1.0.0`);
  }
  return faults;
}

function* unmet(
  { name, requires = {}, optional = {} }: PluginDefinition,
  good: ReadonlyMap<string, LoadedPlugin>,
  broken: ReadonlySet<string>,
  disabled: ReadonlySet<string>,
): Iterable<Omit<StartProblem, 'plugins'>> {
  for (const [other, range] of Object.entries(requires)) {
    const plugin = good.get(other);
    if (!plugin) {
      const why = broken.has(other)
        ? 'which cannot be loaded'
        : disabled.has(other)
          ? 'which is disabled'
          : 'which is not there';
      yield {
        text: `the plugin ${name} requires ${other} ${range}, ${why}`,
        ...(broken.has(other) && { isConsequence: true }),
      };
    } else if (!satisfies(plugin.definition.version, range, { includePrerelease: true })) {
      yield {
        text: `the plugin ${name} requires ${other} ${range}, but this is ${other} ${plugin.definition.version}`,
      };
    }
  }
  for (const [other, range] of Object.entries(optional)) {
    const found = good.get(other);
    if (found && !satisfies(found.definition.version, range, { includePrerelease: true })) {
      yield {
        text: `the plugin ${name} works with ${other} ${range}, but this is ${other} ${found.definition.version}`,
      };
    }
  }
}

function sort(plugins: ReadonlyMap<string, LoadedPlugin>): { ordered: LoadedPlugin[]; cycles: string[][] } {
  const ordered: LoadedPlugin[] = [];
  const cycles: string[][] = [];
  const state = new Map<string, 'open' | 'done' | 'circular'>();
  const path: string[] = [];
  const visit = (name: string): void => {
    const plugin = plugins.get(name);
    if (!plugin || state.get(name) === 'done' || state.get(name) === 'circular') return;
    if (state.get(name) === 'open') {
      const cycle = path.slice(path.indexOf(name));
      cycles.push(cycle);
      cycle.forEach((member) => state.set(member, 'circular'));
      return;
    }
    state.set(name, 'open');
    path.push(name);
    const { requires = {}, optional = {} } = plugin.definition;
    for (const other of [...Object.keys(requires), ...Object.keys(optional)].sort()) visit(other);
    path.pop();
    if (state.get(name) === 'open') {
      state.set(name, 'done');
      ordered.push(plugin);
    }
  };
  for (const name of [...plugins.keys()].sort()) visit(name);
  return { ordered, cycles };
}
