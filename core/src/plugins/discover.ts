import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pluginNameOf } from '@mortise/plugin-sdk';

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

// Read at once: a start waits for it, and hundreds of small files cost several times as much by way of threads.
function entries(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readPackage(folder: string, from: PluginPackage['from']): PluginPackage | undefined {
  let about: PackageJson;
  try {
    about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson;
  } catch {
    return undefined;
  }
  if (!about.mortise?.plugin) return undefined;
  const real = realpathSync(folder);
  return {
    name: about.mortise.name ?? pluginNameOf(about.name ?? basename(real)),
    folder: real,
    packageName: about.name ?? basename(real),
    version: about.version ?? '0.0.0',
    entry: resolve(real, about.mortise.plugin),
    from,
  };
}

function installed(modules: string): string[] {
  const folders: string[] = [];
  for (const name of entries(modules)) {
    if (name.startsWith('mortise-plugin-')) folders.push(join(modules, name));
    if (!name.startsWith('@')) continue;
    for (const inner of entries(join(modules, name))) {
      if (inner.startsWith('mortise-plugin-')) folders.push(join(modules, name, inner));
    }
  }
  return folders;
}

export interface PluginLocations {
  /** Folder that Mortise lies in: a checkout, or `node_modules/@mortise` where it was installed. */
  readonly root: string;
  /** Further node_modules folders to look into for installed plugins. */
  readonly moduleFolders?: readonly string[];
  /** Where `mortise plugins add` puts plugins. */
  readonly added?: string;
  /** Folders that stand in for the added plugins of their names. */
  readonly replaced?: readonly string[];
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

const packagesIn = (folder: string, from: PluginPackage['from']) =>
  entries(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => readPackage(join(folder, name), from))
    .filter((one) => one !== undefined);

/** Finds all plugin packages, in no order that matters; each folder once. */
export function discoverPlugins(locations: PluginLocations): { packages: PluginPackage[]; problems: string[] } {
  const problems: string[] = [];
  const { workspace, modules } = layout(locations.root);
  const replaced = (locations.replaced ?? [])
    .map((folder) => readPackage(folder, 'added'))
    .filter((one) => one !== undefined);
  const added = locations.added === undefined ? [] : packagesIn(locations.added, 'added');
  const inPaths = (locations.paths ?? []).map(readPath);
  for (const { path, found } of inPaths) {
    if (found.length === 0)
      problems.push(
        `[plugins] PATHS names ${path}, but there is no plugin in it (a package.json with "mortise": { "plugin": … })`,
      );
  }
  const byFolder = new Map<string, PluginPackage>();
  for (const one of [
    ...inPaths.flatMap(({ found }) => found),
    ...packagesIn(workspace, 'workspace'),
    ...added.filter(({ name }) => !replaced.some((one) => one.name === name)),
    ...replaced,
    ...[...new Set([modules, ...(locations.moduleFolders ?? [])])]
      .flatMap(installed)
      .map((folder) => readPackage(folder, 'installed')),
  ]) {
    if (one && !byFolder.has(one.folder)) byFolder.set(one.folder, one);
  }
  return { packages: [...byFolder.values()], problems };
}

function readPath(path: string): { path: string; found: PluginPackage[] } {
  const itself = readPackage(path, 'path');
  return { path, found: itself ? [itself] : packagesIn(path, 'path') };
}
