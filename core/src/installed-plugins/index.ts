import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import gt from 'semver/functions/gt.js';
import lt from 'semver/functions/lt.js';
import { BadRequest, Conflict, NotFound, type PluginCapability, type PluginContents } from '@mortise/plugin-sdk';
import { compose, type Composition } from '../compose.js';
import type { HostOptions } from '../host.js';
import { isListed } from '../plugins/disabled.js';
import { findPackage } from '../plugins/known.js';
import { integrityOf, isAllowed, vouchFor, type PluginRecord } from '../plugins/integrity.js';
import type { PluginPackage } from '../plugins/discover.js';

import { pluginSettings } from '../settings/kernel.js';
import { names } from '../settings/names.js';
import { openSettings } from '../settings/open.js';
import { runningInstance } from '../instance/index.js';
import {
  hostVersions,
  separateOwnLibraries,
  incompatibilities,
  pluginName,
  readManifest,
  type Manifest,
} from './manifest.js';
import { installLibraries, packFolder, readWanted, unpack, type Wanted } from './npm.js';
import { undeclared } from './capabilities.js';
import { PluginStore } from './store.js';
import { dryRun } from './dry-run.js';
import { taskOptionsOf } from './task-process.js';

/** Seconds that a plugin may take to be loaded, and again to start, when it is tried. */
const maxTrialSeconds = 30;

interface InstallOptions {
  /** Lets the libraries that a plugin brings run their install scripts. */
  readonly allowScripts?: boolean;
}

/** `either`: adds it, or updates the one of its name. */
type InstallKind = 'add' | 'update' | 'either';

interface InstallRequest {
  readonly wanted: Wanted;
  readonly allowScripts: boolean;
  readonly how: InstallKind;
}

interface Installed extends Change {
  readonly capabilities: readonly PluginCapability[];
}

interface Change {
  readonly name: string;
  readonly version: string;
  /** Before an update. */
  readonly from?: string;
}

/** A plugin that fits and was tried. */
export interface PackedPlugin extends Change {
  readonly contents: PluginContents | undefined;
  readonly record: PluginRecord;
}

interface PreparedPlugin extends PackedPlugin {
  readonly folder: string;
}

export interface PackRequest {
  /** Undefined: the newest of the plugin. */
  readonly wanted?: Wanted;
  /** Name of the one that is changed; empty where the package says it. */
  readonly plugin: string;
  /** Where the packed plugin is put, its libraries in it. */
  readonly file: string;
}

/** Adding, updating and removing plugins of a work folder. Nothing of it reaches a running server before its restart. */
export class InstalledPlugins {
  constructor(private readonly options: HostOptions) {}

  async add(text: string, { allowScripts = false }: InstallOptions = {}): Promise<Installed> {
    return this.#install(readWanted(text), allowScripts, 'add');
  }

  /** A name of an added plugin (asks the registry again), or the newer file or folder itself. */
  async update(text: string, { allowScripts = false }: InstallOptions = {}): Promise<Installed> {
    const { store, composition } = await this.#open();
    const known = findPackage(composition.found, text);
    const wanted = known ? await newestOf(store, known) : readWanted(text);
    return this.#install(wanted, allowScripts, 'update');
  }

  /**
   * Prepares what the nodes are to add or to update: as `add` and `update` do, but nothing of it is in place afterwards.
   * `plugin`: the one to update from where it came. Libraries run no install scripts.
   */
  async pack({ wanted, plugin, file }: PackRequest): Promise<PackedPlugin> {
    const { store, composition } = await this.#open();
    const staging = await store.stage();
    try {
      const prepared = await this.#prepare(composition, staging, {
        wanted: wanted ?? (await newestOf(store, packageNamed(composition, plugin))),
        allowScripts: false,
        how: wanted ? 'either' : 'update',
      });
      const { folder, ...packed } = prepared;
      await packFolder(folder, file);
      return packed;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  /** Throws where `remove` would. */
  async checkRemovable(name: string): Promise<Change> {
    const { found } = await this.#removable(name);
    return { name: found.name, version: found.version };
  }

  /** Throws where `remove` would, and while a process serves: it would go on to use what is purged. */
  async checkPurgeable(name: string): Promise<void> {
    const { workDir } = await this.#removable(name);
    const [one] = await runningInstance(workDir);
    if (one)
      throw Conflict(
        `Mortise is running from ${workDir} (process ${one.process} on ${one.host}); stop it before you purge a plugin`,
      );
  }

  async remove(name: string): Promise<Change> {
    const { store, found, workDir } = await this.#removable(name);
    await store.remove(found.name);
    await store.sweep(await runningInstance(workDir));
    return { name: found.name, version: found.version };
  }

  async #removable(name: string): Promise<{ store: PluginStore; found: PluginPackage; workDir: string }> {
    const { store, composition } = await this.#open();
    const installed = packageNamed(composition, name);
    if (installed.from !== 'added')
      throw BadRequest(`the plugin ${installed.name} was not added here: it ${placeOf(installed)}`);
    const needy = composition.plugins.filter(({ definition }) => installed.name in (definition.requires ?? {}));
    if (needy.length > 0)
      throw Conflict(
        `the plugin ${installed.name} is required by ${needy.map((one) => one.definition.name).join(', ')}`,
      );
    return { store, found: installed, workDir: composition.workDir };
  }

  async #open(): Promise<{ store: PluginStore; composition: Composition }> {
    const composition = await compose({ ...this.options, tolerant: true, logLevel: 'none' });
    composition.metrics.close();
    return { store: new PluginStore(join(composition.workDir, 'plugins')), composition };
  }

  async #install(wanted: Wanted, allowScripts: boolean, how: 'add' | 'update'): Promise<Installed> {
    const { store, composition } = await this.#open();
    const staging = await store.stage();
    try {
      const { name, version, from, folder, record, contents } = await this.#prepare(composition, staging, {
        wanted,
        allowScripts,
        how,
      });
      await store.activate(name, version, folder, record);
      await store.sweep(await runningInstance(composition.workDir));
      return { name, version, from, capabilities: contents?.capabilities ?? [] };
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  /** Unpacks a plugin with its libraries into the staging folder, and tries it. Throws a Problem with all that is against it. */
  async #prepare(
    composition: Composition,
    staging: string,
    { wanted, allowScripts, how }: InstallRequest,
  ): Promise<PreparedPlugin> {
    const folder = await unpack(wanted, staging, composition.settings.plugins.CATALOGUE_URL);
    const manifest = await readManifest(folder);
    const present = composition.found;
    const before = checkLocation(manifest, present, how);
    const versions = hostVersions(present.filter((one) => one.name !== pluginName(manifest)));
    const refuse = (problems: readonly string[]) => {
      if (problems.length === 0) return;
      throw Conflict(
        [`${manifest.name} ${manifest.version} does not fit; nothing was installed:`, ...problems].join('\n  - '),
      );
    };
    if (!isAllowed({ packageName: manifest.name, from: 'added' }, names(composition.settings.plugins.ALLOWED)))
      refuse([`[plugins] ALLOWED does not name ${manifest.name}`]);
    refuse(incompatibilities(manifest, versions));
    if (await separateOwnLibraries(folder, manifest, versions)) await installLibraries(folder, allowScripts);
    const name = pluginName(manifest);
    const { problems, contents } = await dryRun({
      options: taskOptionsOf(this.options),
      candidate: folder,
      name,
      knownProblems: composition.problems,
      startTimeout: Math.min(composition.settings.plugins.START_TIMEOUT, maxTrialSeconds),
    });
    refuse(problems);
    refuse(undeclared(manifest, contents?.capabilities ?? []));
    return {
      name,
      version: manifest.version,
      from: before?.version,
      folder,
      contents,
      record: {
        addedAt: Date.now(),
        ...(wanted.kind === 'registry' && { registry: manifest.name }),
        ...vouchFor(folder),
      },
    };
  }
}

function packageNamed({ found }: Composition, name: string): PluginPackage {
  const known = findPackage(found, name);
  if (!known) throw NotFound(`There is no plugin ${name}.`);
  return known;
}

/** Where an added plugin came from has its newest version. */
async function newestOf(store: PluginStore, known: PluginPackage): Promise<Wanted> {
  if (known.from !== 'added') throw BadRequest(`the plugin ${known.name} was not added here: it ${placeOf(known)}`);
  const source = await store.recordOf(known.name);
  if (!source?.registry)
    throw BadRequest(
      `${known.name} was added from a file or a folder: name the newer one, mortise plugins update FILE`,
    );
  return { kind: 'registry', text: `${source.registry}@latest` };
}

const placeOf = ({ from, folder }: PluginPackage): string =>
  from === 'workspace'
    ? 'comes with Mortise'
    : from === 'path'
      ? `lies in ${folder}, which [plugins] PATHS names`
      : `is installed in ${folder}`;

/** May a plugin of that name be put there? Gives the one that it takes the place of. */
function checkLocation(
  manifest: Manifest,
  present: readonly PluginPackage[],
  how: InstallKind,
): PluginPackage | undefined {
  const name = pluginName(manifest);
  const other = present.find((one) => one.name === name);
  if (!other) {
    if (how === 'update') throw BadRequest(`The plugin ${name} is not installed. Use mortise plugins add.`);
    return undefined;
  }
  if (other.from !== 'added') throw Conflict(`there is a plugin ${name} already: it ${placeOf(other)}`);
  if (how === 'add')
    throw Conflict(
      `the plugin ${name} ${other.version} is installed already: mortise plugins update takes a newer one`,
    );
  if (lt(manifest.version, other.version))
    throw Conflict(`${name} ${manifest.version} is older than what is installed, ${other.version}`);
  // what was changed since is put right by the same version
  if (!gt(manifest.version, other.version) && integrityOf(other) !== 'changed')
    throw Conflict(`${name} ${manifest.version} is already installed.`);
  return other;
}

/** The same settings, with a plugin on that they turn off. */
export function withPluginOn(options: HostOptions, name: string): HostOptions {
  const { ENABLED, DISABLED } = openSettings(options).settingsRegistry.declare('core', 'plugins', pluginSettings);
  const enabled = names(ENABLED);
  return {
    ...options,
    settings: {
      ...options.settings,
      plugins: {
        ...options.settings?.plugins,
        DISABLED: names(DISABLED)
          .filter((one) => !isListed([one], name))
          .join(','),
        ENABLED: enabled.length > 0 && !enabled.includes(name) ? [...enabled, name].join(',') : ENABLED,
      },
    },
  };
}
