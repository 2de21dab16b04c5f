import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import satisfies from 'semver/functions/satisfies.js';
import { BadRequest, pluginNameOf, sdkVersion } from '@mortise/plugin-sdk';
import type { PluginPackage } from '../plugins/discover.js';

type Ranges = Readonly<Record<string, string>>;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly mortise: { readonly plugin: string; readonly name?: string; readonly capabilities?: readonly string[] };
  readonly dependencies?: Ranges;
  readonly peerDependencies?: Ranges;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Libraries that plugins get from the host. */
const libraries = ['preact', 'preact-render-to-string', 'joi', 'objection', 'knex'];
const require = createRequire(import.meta.url);

export async function readManifest(folder: string): Promise<Manifest> {
  let about: Partial<Manifest>;
  try {
    about = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Partial<Manifest>;
  } catch {
    throw BadRequest('The package contains no readable package.json.');
  }
  if (!about.name || !about.version) throw BadRequest('The package has no name or no version.');
  if (!about.mortise?.plugin)
    throw BadRequest(`${about.name} is not a plugin: its package.json has no "mortise": { "plugin": … }.`);
  return about as Manifest;
}

export const pluginName = ({ name, mortise }: Manifest): string => mortise.name ?? pluginNameOf(name);

/** Versions of everything that the host gives: SDK, libraries, and the plugins that are there. */
export function hostVersions(plugins: readonly PluginPackage[]): ReadonlyMap<string, string> {
  const versions = new Map(plugins.map((one) => [one.packageName, one.version]));
  versions.set('@mortise/plugin-sdk', sdkVersion);
  for (const name of libraries) {
    const about = JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')) as { version: string };
    versions.set(name, about.version);
  }
  return versions;
}

/** What of its needs the host does not meet, in words. */
export function incompatibilities(manifest: Manifest, versions: ReadonlyMap<string, string>): string[] {
  const told: string[] = [];
  const { name, version, dependencies, peerDependencies, peerDependenciesMeta: meta } = manifest;
  for (const [needed, range] of Object.entries({ ...dependencies, ...peerDependencies })) {
    const given = versions.get(needed);
    if (given === undefined) {
      const isPeer = peerDependencies?.[needed] !== undefined && !meta?.[needed]?.optional;
      if (isPeer || needed.startsWith('@mortise/'))
        told.push(`${name} ${version} needs ${needed} ${range}, which is not installed here`);
    } else if (!satisfies(given, range, { includePrerelease: true }))
      told.push(`${name} ${version} needs ${needed} ${range}, but this is ${given}`);
  }
  return told;
}

/**
 * Takes out of package.json what the host gives, so that npm looks for nothing of it on any registry. Gives whether
 * libraries are left to install.
 */
export async function separateOwnLibraries(
  folder: string,
  manifest: Manifest,
  versions: ReadonlyMap<string, string>,
): Promise<boolean> {
  const own = Object.entries(manifest.dependencies ?? {}).filter(([name]) => !versions.has(name));
  const {
    devDependencies: _none,
    scripts: _scripts,
    ...rest
  } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...rest, dependencies: Object.fromEntries(own) }, null, 2)}\n`,
  );
  return own.length > 0;
}
