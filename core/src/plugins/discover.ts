import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** A folder that says of itself, in package.json, that it is a plugin. Nothing of it has been run. */
export interface PluginPackage {
  /** Name without family prefixes: folder of the plugin, and how settings name it. */
  readonly name: string;
  readonly folder: string;
  readonly packageName: string;
  readonly version: string;
  /** Absolute path of the module with the definition. */
  readonly entry: string;
  /**
   * Where it was found: it came with Mortise (`workspace`), was installed beside it or in the work folder
   * (`installed`), by `mortise plugins add` (`added`), or is named in `[plugins] PATHS` (`path`).
   */
  readonly from: 'workspace' | 'installed' | 'added' | 'path';
}

interface PackageJson {
  name?: string;
  version?: string;
  mortise?: { plugin?: string; name?: string };
}

async function entries(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    return [];
  }
}

/** `@mortise/stars`, `mortise-plugin-stars` and `@acme/mortise-plugin-stars` are all called `stars`. */
export function pluginNameOf(packageName: string): string {
  return packageName.replace(/^@[^/]+\//, '').replace(/^mortise-plugin-/, '');
}

async function readPackage(folder: string, from: PluginPackage['from']): Promise<PluginPackage | undefined> {
  let about: PackageJson;
  try {
    about = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageJson;
  } catch {
    return undefined;
  }
  if (!about.mortise?.plugin) return undefined;
  const real = await realpath(folder);
  return {
    name: about.mortise.name ?? pluginNameOf(about.name ?? basename(real)),
    folder: real,
    packageName: about.name ?? basename(real),
    version: about.version ?? '0.0.0',
    entry: resolve(real, about.mortise.plugin),
    from,
  };
}

async function installed(modules: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await entries(modules)) {
    if (name.startsWith('mortise-plugin-')) found.push(join(modules, name));
    if (!name.startsWith('@')) continue;
    for (const inner of await entries(join(modules, name))) {
      if (inner.startsWith('mortise-plugin-')) found.push(join(modules, name, inner));
    }
  }
  return found;
}

export interface PluginLocations {
  /** Folder that Mortise lies in: a checkout, or `node_modules/@mortise` where it was installed. */
  readonly root: string;
  /** Further node_modules folders to look into for installed plugins. */
  readonly moduleFolders?: readonly string[];
  /** Where `mortise plugins add` puts plugins. */
  readonly added?: string;
  /** A folder that stands in for the added plugin of its name. */
  readonly replaced?: string;
  /** Folders of `[plugins] PATHS`: each a plugin, or a folder of plugins. */
  readonly paths?: readonly string[];
}

/** Plugins that came with Mortise, and the node_modules that they share. */
function layout(root: string): { workspace: string; modules: string } {
  const parent = dirname(root);
  return basename(root) === '@mortise' && basename(parent) === 'node_modules'
    ? { workspace: root, modules: parent }
    : { workspace: join(root, 'plugins'), modules: join(root, 'node_modules') };
}

const packagesIn = async (folder: string, from: PluginPackage['from']) =>
  Promise.all(
    (await entries(folder))
      .filter((name) => !name.startsWith('.'))
      .map((name) => readPackage(join(folder, name), from)),
  );

/** Finds all plugin packages, in no order that matters; each folder once. */
export async function discoverPlugins(
  locations: PluginLocations,
): Promise<{ packages: PluginPackage[]; problems: string[] }> {
  const problems: string[] = [];
  const { workspace, modules } = layout(locations.root);
  const moduleFolders = new Set([modules, ...(locations.moduleFolders ?? [])]);
  const candidate = locations.replaced === undefined ? undefined : await readPackage(locations.replaced, 'added');
  const [inWorkspace, inModules, added, inPaths] = await Promise.all([
    packagesIn(workspace, 'workspace'),
    Promise.all([...moduleFolders].map(installed)).then((folders) =>
      Promise.all(folders.flat().map((folder) => readPackage(folder, 'installed'))),
    ),
    locations.added === undefined
      ? []
      : packagesIn(locations.added, 'added').then((all) =>
          candidate ? [...all.filter((one) => one?.name !== candidate.name), candidate] : all,
        ),
    Promise.all((locations.paths ?? []).map(readPath)),
  ]);
  for (const { path, found } of inPaths) {
    if (found.length === 0)
      problems.push(
        `[plugins] PATHS names ${path}, but there is no plugin in it (a package.json with "mortise": { "plugin": … })`,
      );
  }
  const byFolder = new Map<string, PluginPackage>();
  for (const one of [...inPaths.flatMap(({ found }) => found), ...inWorkspace, ...added, ...inModules.flat()]) {
    if (one && !byFolder.has(one.folder)) byFolder.set(one.folder, one);
  }
  return { packages: [...byFolder.values()], problems };
}

async function readPath(path: string): Promise<{ path: string; found: PluginPackage[] }> {
  const itself = await readPackage(path, 'path');
  if (itself) return { path, found: [itself] };
  return { path, found: (await packagesIn(path, 'path')).filter((one) => one !== undefined) };
}
