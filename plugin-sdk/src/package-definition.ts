import { readFileSync } from 'node:fs';
import type { PluginDefinition } from './plugin.js';

type FromPackage = Pick<PluginDefinition, 'name' | 'version' | 'description' | 'sdk' | 'requires' | 'optional'>;

interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly mortise?: { readonly name?: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const sdk = '@mortise/plugin-sdk';
const isPlugin = (packageName: string) =>
  packageName !== sdk && /^@mortise\/|(?:^|\/)mortise-plugin-/.test(packageName);

/** `@mortise/stars`, `mortise-plugin-stars` and `@acme/mortise-plugin-stars` are all called `stars`. */
export function pluginNameOf(packageName: string): string {
  return packageName.replace(/^@[^/]+\//, '').replace(/^mortise-plugin-/, '');
}

/**
 * What a definition says and `package.json` says already, so that each stands in one place: name, version, description,
 * and as `sdk`, `requires` and `optional` the peers of the package. `address`: of its `package.json`, from the module with
 * the definition `new URL('../package.json', import.meta.url)`.
 */
export function fromPackage(address: URL): FromPackage {
  const about = JSON.parse(readFileSync(address, 'utf8')) as PackageJson;
  const { name, version, description, peerDependencies: peers = {}, peerDependenciesMeta: meta = {} } = about;
  const range = peers[sdk];
  if (!name || !version || !range)
    throw new Error(`${address.pathname} must have a name, a version, and ${sdk} among its peerDependencies`);
  const plugins = Object.entries(peers).filter(([peer]) => isPlugin(peer));
  const named = (isOptional: boolean) =>
    Object.fromEntries(
      plugins
        .filter(([peer]) => (meta[peer]?.optional ?? false) === isOptional)
        .map(([peer, wanted]) => [pluginNameOf(peer), wanted]),
    );
  return {
    name: about.mortise?.name ?? pluginNameOf(name),
    version,
    ...(description !== undefined && { description }),
    sdk: range,
    requires: named(false),
    optional: named(true),
  };
}
