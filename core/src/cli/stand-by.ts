import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { workspaceRoot } from '../compose.js';
import type { HostOptions } from '../host.js';
import { discoverPlugins, importDefinition, type PluginPackage } from '../plugins/index.js';
import { isListed } from '../plugins/disabled.js';
import { pluginSettings } from '../settings/kernel.js';
import { names } from '../settings/names.js';
import { openSettings } from '../settings/open.js';

/** To a server of `mortise dev` that stands by: start now. */
export const goMessage = 'mortise: go';

/**
 * Loads what no change of the plugin in `folder` touches, the kernel and the plugins that came with Mortise, and
 * resolves when the parent says {@link goMessage}: then the start is left with what is its own.
 */
export async function standBy(options: HostOptions, folder: string): Promise<void> {
  const told = new Promise<void>((go) => {
    process.on('message', (heard) => heard === goMessage && go());
  });
  // Whatever cannot be loaded is told by the start.
  await Promise.all([import('../open-host.js'), import('../http/index.js'), preload(options, folder)]).catch(
    () => undefined,
  );
  await told;
}

async function preload(options: HostOptions, place: string): Promise<void> {
  const folder = realpathSync(place);
  const { ENABLED, DISABLED } = openSettings(options).settingsRegistry.declare('core', 'plugins', pluginSettings);
  const [on, off] = [new Set(names(ENABLED)), names(DISABLED)];
  const { packages } = discoverPlugins({ root: workspaceRoot(), paths: [folder] });
  const touched = await dependents(packages, folder);
  const untouched = packages.filter(
    (one) =>
      one.from === 'workspace' && !touched.has(one) && !isListed(off, one.name) && (!on.size || on.has(one.name)),
  );
  for (const one of untouched) if (existsSync(one.entry)) await importDefinition(one.entry);
}

/** The plugins of the folder, and those that import them, at whatever distance. */
async function dependents(packages: readonly PluginPackage[], folder: string): Promise<ReadonlySet<PluginPackage>> {
  const uses = new Map<PluginPackage, readonly string[]>();
  for (const one of packages) {
    const text = await readFile(join(one.folder, 'package.json'), 'utf8');
    const { dependencies, peerDependencies } = JSON.parse(text) as Record<string, Record<string, string> | undefined>;
    uses.set(one, Object.keys({ ...dependencies, ...peerDependencies }));
  }
  const inFolder = new Set(packages.filter((one) => `${one.folder}${sep}`.startsWith(`${folder}${sep}`)));
  for (let before = -1; before !== inFolder.size;) {
    before = inFolder.size;
    const known = new Set([...inFolder].map(({ packageName }) => packageName));
    for (const [one, names] of uses) if (names.some((name) => known.has(name))) inFolder.add(one);
  }
  return inFolder;
}
