import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { database, outbound, pluginCapabilities, type PluginCapability } from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import { serviceUsers } from '../registry/check-declarations.js';
import type { Manifest } from './manifest.js';

/** Modules of Node.js, without `node:`, by what they let a plugin do. */
const modules: ReadonlyMap<string, PluginCapability> = new Map([
  ['dgram', 'network'],
  ['dns', 'network'],
  ['dns/promises', 'network'],
  ['http', 'network'],
  ['http2', 'network'],
  ['https', 'network'],
  ['net', 'network'],
  ['tls', 'network'],
  ['fs', 'files'],
  ['fs/promises', 'files'],
  ['sqlite', 'files'],
  ['child_process', 'processes'],
  ['cluster', 'processes'],
  ['ffi', 'native'],
]);
const globals = /(?<![.\w$])(?:fetch|WebSocket|EventSource)\s*\(/;
const imports =
  /(?:\bfrom|\bimport|\brequire|\bgetBuiltinModule)\s*\(?\s*['"`](?:node:)?([a-z0-9_]+(?:\/promises)?)['"`]/g;
const services: ReadonlyMap<string, PluginCapability> = new Map([
  [database.id, 'database'],
  [outbound.id, 'network'],
]);

/** Files of one plugin, its libraries included, and bytes of one file; what has more is taken for one that can do everything. */
const maxFiles = 20_000;
const maxBytes = 8 * 1024 * 1024;

/**
 * What a loaded plugin can do beyond its own work, as far as its files and the services that it asks for tell: code that hides what
 * it imports is not found. Scripts for browsers are left out.
 */
export function capabilitiesOf({ declarations, plugins }: Composition, name: string): readonly PluginCapability[] {
  const isOwn = ({ owner }: { readonly owner: string }) => owner === name;
  const asked = [...serviceUsers(declarations)]
    .filter(isOwn)
    .flatMap(({ dependencies }) => Object.values(dependencies));
  const found = new Set(asked.flatMap(({ id }) => services.get(id) ?? []));
  const folder = plugins.find(({ definition }) => definition.name === name)?.package?.folder;
  const islands = new Set(declarations.islands.filter(isOwn).map(({ source }) => fileURLToPath(source)));
  if (folder !== undefined) for (const one of inFiles(folder, islands)) found.add(one);
  return pluginCapabilities.filter((one) => found.has(one));
}

function* inFiles(folder: string, islands: ReadonlySet<string>): Iterable<PluginCapability> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?js|node)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !islands.has(path));
  if (files.length > maxFiles) return yield* pluginCapabilities;
  for (const path of files)
    if (path.endsWith('.node')) yield 'native';
    else if (statSync(path).size > maxBytes) yield* pluginCapabilities;
    else yield* inCode(readFileSync(path, 'utf8'));
}

/** What one module can do. */
export function* inCode(code: string): Iterable<PluginCapability> {
  for (const [, name] of code.matchAll(imports)) {
    const found = modules.get(name!);
    if (found) yield found;
  }
  if (globals.test(code)) yield 'network';
  if (/\bprocess\s*\.\s*dlopen\b/.test(code)) yield 'native';
}

/** What is wrong with the capabilities that a package declares, in words; one that declares none may do everything. */
export function undeclared(manifest: Manifest, used: readonly PluginCapability[]): string[] {
  const declared = manifest.mortise.capabilities;
  if (declared === undefined) return [];
  const known: readonly string[] = pluginCapabilities;
  if (!Array.isArray(declared) || !declared.every((one) => known.includes(one)))
    return [`mortise.capabilities of its package.json is no list of ${known.join(', ')}`];
  return used
    .filter((one) => !declared.includes(one))
    .map((one) => `it needs the capability ${one}, which mortise.capabilities of its package.json does not name`);
}
