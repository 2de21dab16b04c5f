import type { Composition } from '../compose.js';
import type { PluginPackage } from './discover.js';

/** The package of a plugin, by the name of either. */
export const findPackage = (packages: readonly PluginPackage[], name: string): PluginPackage | undefined =>
  packages.find((one) => one.name === name || one.packageName === name);

/** Names of all plugins that there are: on or off, found at the start or added since. */
export function knownNames({
  found,
  plugins,
  onDisk,
}: Pick<Composition, 'found' | 'plugins' | 'onDisk'>): ReadonlySet<string> {
  const packages = [...found, ...onDisk().packages];
  return new Set([...packages, ...plugins.map(({ definition }) => definition)].map(({ name }) => name));
}
