import type { PluginDefinition } from '@mortise/plugin-sdk';

/** Does a list of the settings name the plugin? `package-*` names all that begin so. */
export function isListed(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.includes('*') ? new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`).test(name) : pattern === name,
  );
}

const escaped = (text: string) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&');

/** Those that cannot be loaded without the plugins that are off, at whatever distance: they have to be off too. */
export function dependentsOf(
  definitions: readonly Pick<PluginDefinition, 'name' | 'requires'>[],
  off: ReadonlySet<string>,
): string[] {
  const lost = new Set(off);
  for (let before = -1; before !== lost.size;) {
    before = lost.size;
    for (const { name, requires = {} } of definitions)
      if (Object.keys(requires).some((other) => lost.has(other))) lost.add(name);
  }
  return [...lost].filter((name) => !off.has(name)).sort();
}
