import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as sdk from '@mortise/plugin-sdk';
import * as threads from '@mortise/plugin-sdk/threads';
import * as lruCache from 'lru-cache';
import * as preact from 'preact';
import * as jsxRuntime from 'preact/jsx-runtime';
import { compiled } from '../cli/code-cache.js';
import type { PluginPackage } from './discover.js';

type Exports = Readonly<Record<string, unknown>>;
/** What a script gives: the module of the definition, and what `@mortise/<plugin>/api` is for others. */
type Parts = Partial<Record<'plugin' | 'api', () => Exports>>;

/** Beside a script: imports for it what lies where it lies. */
interface Importer {
  default(name: string): Promise<unknown>;
}

const parameters = ['exports', 'require', 'module', '__addressOf', '__import'];

/** Plain objects, because reading from them is quicker than asking a module for what it exports. */
const ofHost: ReadonlyMap<string, Exports> = new Map(
  Object.entries({
    '@mortise/plugin-sdk': sdk,
    '@mortise/plugin-sdk/threads': threads,
    'lru-cache': lruCache,
    preact,
    'preact/jsx-runtime': jsxRuntime,
  }).map(([name, exports]) => [name, { ...exports }]),
);

// Like modules, scripts are run once in a process, however many hosts it has; by their paths.
const opened = new Map<string, Parts>();
const contracts = new Map<string, Exports>();
const running = new Set<string>();

const scriptOf = (entry: string): string => join(dirname(entry), 'plugin.bundle.cjs');

/**
 * Plugins that came with Mortise, from the one script that `npm run build` makes of each (docs/decisions/0029): of scripts
 * node can keep what it compiled. A module in it is run when something first asks for it.
 */
export class PluginScripts {
  private constructor(
    /** Those with a script that is up to date, by the names of their packages. */
    private readonly packages: ReadonlyMap<string, PluginPackage>,
  ) {}

  static async of(found: readonly PluginPackage[]): Promise<PluginScripts> {
    const own = found.filter((one) => one.from === 'workspace');
    const current = new Map(own.filter(isUpToDate).map((one) => [one.packageName, one]));
    // What was compiled since is imported from its modules, also by those that have scripts.
    await Promise.all(own.filter((one) => current.get(one.packageName) !== one).map(importContract));
    return new PluginScripts(current);
  }

  has({ packageName, entry }: PluginPackage): boolean {
    return this.packages.get(packageName)?.entry === entry;
  }

  definition(found: PluginPackage): unknown {
    return this.#partsOf(found).plugin?.().default;
  }

  #partsOf(found: PluginPackage): Parts {
    const path = scriptOf(found.entry);
    const before = opened.get(path);
    if (before) return before;
    const module: { exports: Parts } = { exports: {} };
    const own = pathToFileURL(path);
    const library = createRequire(path);
    const require = (name: string): unknown =>
      ofHost.get(name) ?? (name.endsWith('/api') ? this.#contract(name, found) : undefined) ?? library(name);
    const addressOf = (other: string) => new URL(other, own).href;
    const importer = addressOf('./plugin.import.js');
    const importLater = async (name: string) => ((await import(importer)) as Importer).default(name);
    compiled(path, parameters)(module.exports, require, module, addressOf, importLater);
    opened.set(path, module.exports);
    return module.exports;
  }

  /** `name`: `@mortise/<plugin>/api` */
  #contract(name: string, asking: PluginPackage): Exports | undefined {
    const packageName = name.slice(0, -'/api'.length);
    const found = this.packages.get(packageName);
    if (!found) return contracts.get(contractKey(dirname(asking.folder), packageName));
    const key = contractKey(dirname(found.folder), packageName);
    const known = contracts.get(key);
    if (known) return known;
    const { api } = this.#partsOf(found);
    // of two that need each other, the second gets what the first will have
    if (!api || running.has(key)) return api?.();
    running.add(key);
    try {
      const plain = { ...api() };
      contracts.set(key, plain);
      return plain;
    } finally {
      running.delete(key);
    }
  }
}

const contractKey = (folder: string, packageName: string) => `${folder}:${packageName}`;

async function importContract({ folder, packageName, entry }: PluginPackage): Promise<void> {
  const file = join(dirname(entry), 'api.js');
  if (!existsSync(file)) return;
  try {
    const exports = (await import(pathToFileURL(file).href)) as Exports;
    contracts.set(contractKey(dirname(folder), packageName), { ...exports });
  } catch {
    // told when the plugin itself is loaded
  }
}

/** When the file was written; 0: it is not there. */
export const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Made after the compiler wrote last; packed, it always is. */
function isUpToDate({ entry }: PluginPackage): boolean {
  const made = timeOf(scriptOf(entry));
  return made > 0 && made >= timeOf(join(dirname(entry), 'tsconfig.tsbuildinfo'));
}
