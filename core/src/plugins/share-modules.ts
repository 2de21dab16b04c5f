import * as modules from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { PluginPackage } from './discover.js';
import { redirection, type SharedModules } from './resolve-rules.js';

interface Resolved {
  readonly url: string;
}
interface Context {
  readonly parentURL?: string;
}
type Next = (specifier: string, context: Context) => Resolved;

/** Not in the types of the oldest version of Node that is supported. */
const { registerHooks } = modules as {
  registerHooks?: (hooks: { resolve(specifier: string, context: Context, next: Next): Resolved }) => unknown;
};

// How modules are found is a matter of the whole process, so this is too. Hosts of one process share it.
const known = new Map<string, SharedModules>();
let hooked = false;

/**
 * Plugins that lie outside of Mortise get its single copy of the SDK, of preact and of the contracts of other plugins,
 * wherever they lie and whatever is installed beside them. Called before the first of them is imported.
 */
export function shareModules(plugins: readonly PluginPackage[]): void {
  const outside = plugins.filter((one) => one.from !== 'workspace').map((one) => folderUrl(one.folder));
  if (outside.length === 0) return;
  const shared: SharedModules = {
    kernel: import.meta.url,
    folders: outside,
    plugins: Object.fromEntries(
      plugins.map((one) => [one.packageName, pathToFileURL(join(one.folder, 'package.json')).href]),
    ),
  };
  const text = JSON.stringify(shared);
  if (outside.every((folder) => known.has(folder) && JSON.stringify(known.get(folder)) === text)) return;
  for (const folder of outside) known.set(folder, shared);
  if (!registerHooks) {
    modules.register<SharedModules>(new URL('./resolve-thread.js', import.meta.url), { data: shared });
    return;
  }
  if (hooked) return;
  hooked = true;
  registerHooks({ resolve });
}

const folderUrl = (folder: string) => pathToFileURL(`${folder}/`).href;

function resolve(specifier: string, context: Context, next: Next): Resolved {
  const { parentURL } = context;
  if (!parentURL?.startsWith('file:')) return next(specifier, context);
  for (const [folder, shared] of known) {
    if (!parentURL.startsWith(folder)) continue;
    const other = redirection(shared, specifier, parentURL);
    if (!other) break;
    const elsewhere = { ...context, parentURL: other.parent };
    if (!other.fallback) return next(specifier, elsewhere);
    try {
      return next(specifier, context);
    } catch {
      return next(specifier, elsewhere);
    }
  }
  return next(specifier, context);
}
