import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PluginPackage } from './discover.js';

/** One copy for all: their objects travel between host and plugins. */
const single = ['@mortise/plugin-sdk', 'preact', 'preact-render-to-string'];
/** The host's, unless the plugin's folder has its own. */
const common = ['joi', 'objection', 'knex'];
export const ownCopies: ReadonlySet<string> = new Set(common);

/** Names that npm takes: none leads out of `node_modules`, whatever a package.json says. */
const validName = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;
const shared = new Set([...single, ...common]);

const require = createRequire(import.meta.url);
const hostFolder = (name: string): string => dirname(require.resolve(`${name}/package.json`));

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly mortise?: { readonly plugin?: string };
}

/**
 * What a plugin from outside shares with the host lies on no registry, or must be there once: so it is linked into the
 * plugin's own `node_modules`, as `npm link` does, and node finds it by its usual rules (docs/decisions/0050). Linked are the
 * SDK, the libraries above, and the plugins that its package.json names. Gives why that cannot be, in words.
 */
export function linkPeers(plugin: PluginPackage, all: readonly PluginPackage[]): string | undefined {
  const plugins = namedBy(plugin, all);
  const wanted = new Map([
    ...[...single, ...common].map((name) => [name, hostFolder(name)] as const),
    ...plugins.map(({ packageName, folder }) => [packageName, folder] as const),
  ]);
  for (const [name, target] of wanted) {
    const found = folderFoundFrom(plugin.folder, name);
    if (found === realpathSync(target) || (found && common.includes(name) && !isLink(plugin, name))) continue;
    try {
      link(plugin.folder, name, target);
    } catch (error) {
      return `the plugin ${plugin.name} finds ${name} ${found ? `in ${found}` : 'nowhere'}, not in ${target}, and it cannot be linked into its node_modules: ${(error as Error).message}`;
    }
  }
  return undefined;
}

/**
 * Names below `node_modules` that are the host's, or may become so once another plugin is added: what lies there is a link,
 * nothing yet, or npm's copy of a plugin.
 */
export function linkableNames(folder: string): string[] {
  const { dependencies, peerDependencies } = readManifest(folder);
  const mayBeLinked = (name: string) => {
    const place = join(folder, 'node_modules', name);
    const stats = lstatSync(place, { throwIfNoEntry: false });
    return !stats || stats.isSymbolicLink() || readManifest(place).mortise?.plugin !== undefined;
  };
  const named = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => validName.test(name));
  return [...new Set([...single, ...[...common, ...named].filter(mayBeLinked)])].sort();
}

function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

/** One that the host made, maybe when it lay elsewhere. */
const isLink = ({ folder, from }: PluginPackage, name: string): boolean =>
  from === 'added' &&
  lstatSync(join(folder, 'node_modules', name), { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** The plugins that its package.json names. */
export function namedBy(plugin: PluginPackage, all: readonly PluginPackage[]): PluginPackage[] {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(plugin.folder, 'package.json'), 'utf8'),
  ) as Manifest;
  const named = { ...dependencies, ...peerDependencies };
  return all.filter(
    ({ packageName }) =>
      Object.hasOwn(named, packageName) &&
      packageName !== plugin.packageName &&
      validName.test(packageName) &&
      !shared.has(packageName),
  );
}

/** Where node finds the package when a module of the folder imports it. */
function folderFoundFrom(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const target = real(join(at, 'node_modules', name));
    if (target) return target;
    if (dirname(at) === at) return undefined;
  }
}

/** Takes the place of a copy that npm laid there, and of a link to where the host was before. */
function link(folder: string, name: string, target: string): void {
  const modules = join(folder, 'node_modules');
  const place = join(modules, name);
  mkdirSync(dirname(place), { recursive: true });
  const parent = realpathSync(dirname(place));
  if (parent !== dirname(join(realpathSync(folder), 'node_modules', name)))
    throw new Error(`${dirname(place)} leads to ${parent}, which others share`);
  remove(place);
  try {
    symlinkSync(target, place, 'junction');
  } catch (error) {
    // another process that starts at the same time was quicker
    if (real(place) !== realpathSync(target)) throw error;
  }
}

/** A folder is renamed first: what another process links in its place meanwhile is not followed. */
function remove(place: string): void {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (!stats) return;
  try {
    if (stats.isSymbolicLink()) return unlinkSync(place);
    const renamed = `${place}.replaced-${randomUUID()}`;
    renameSync(place, renamed);
    // it may have been a link by then, which is removed and not followed
    rmSync(renamed, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
