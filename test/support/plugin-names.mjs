// The plugins of this workspace: folder and plugin have the same name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../plugins/', import.meta.url));

export const pluginNames = () => readdirSync(folder);

/**
 * All but those, and what they build upon, for `[plugins] DISABLED`: loading every plugin is most of what the start of
 * a server and each command cost.
 */
export function pluginsBeside(...names) {
  const needed = new Set(names);
  for (const name of needed) {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'));
    const uses = { ...dependencies, ...peerDependencies };
    for (const one of pluginNames()) if (`@mortise/${one}` in uses) needed.add(one);
  }
  return pluginNames()
    .filter((name) => !needed.has(name))
    .join(',');
}
