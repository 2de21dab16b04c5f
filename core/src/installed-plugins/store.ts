import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { InstanceProcess } from '../instance/index.js';
import { packagesFolder, recordOf, recordsFolder, type PluginRecord } from '../plugins/integrity.js';

/** Where plugins that were added by an earlier version noted where they came from. */
const sourceFile = '.mortise-source.json';
const trashPrefix = '.removed-';
/** What is younger may be that of another command, which installs libraries just now; in milliseconds. */
const unfinishedMs = 3_600_000;

/**
 * Plugins in `plugins/` of the work folder. Each lies in a folder of its own below `.packages`, under its version, and is
 * there once a link has its name: so adding, updating and removing are one rename, and a kill leaves no half.
 */
export class PluginStore {
  constructor(readonly folder: string) {}

  get packages(): string {
    return join(this.folder, packagesFolder);
  }

  get records(): string {
    return join(this.folder, recordsFolder);
  }

  /** A folder to prepare a plugin in; nobody looks there. */
  async stage(): Promise<string> {
    const staging = join(this.folder, `.staging-${randomBytes(6).toString('hex')}`);
    await mkdir(staging, { recursive: true });
    return staging;
  }

  link(name: string): string {
    return join(this.folder, name);
  }

  has(name: string): boolean {
    return existsSync(this.link(name));
  }

  /** Moves a prepared folder in, in place of an earlier one of that name. */
  async activate(name: string, version: string, prepared: string, record: PluginRecord): Promise<void> {
    for (const folder of [this.packages, this.records]) await mkdir(folder, { recursive: true });
    const target = join(this.packages, `${name}-${version}-${randomBytes(4).toString('hex')}`);
    await writeFile(join(this.records, `${basename(target)}.json`), JSON.stringify(record), { mode: 0o600 });
    await rename(prepared, target);
    await this.#relink(name, basename(target));
  }

  async #relink(name: string, target: string): Promise<void> {
    const link = `${this.link(name)}.new-${randomBytes(4).toString('hex')}`;
    await symlink(join(packagesFolder, target), link, 'junction');
    await rename(link, this.link(name));
  }

  /** Undefined where it is not there, or its package.json does not say. */
  async versionOf(name: string): Promise<string | undefined> {
    try {
      return (JSON.parse(await readFile(join(this.link(name), 'package.json'), 'utf8')) as { version?: string })
        .version;
    } catch {
      return undefined;
    }
  }

  async recordOf(name: string): Promise<PluginRecord | undefined> {
    const target = await this.#target(name);
    const record = target && recordOf({ folder: target });
    if (record) return record;
    try {
      return JSON.parse(await readFile(join(this.link(name), sourceFile), 'utf8')) as PluginRecord;
    } catch {
      return undefined;
    }
  }

  /** Its files go with the next sweep. */
  async remove(name: string): Promise<void> {
    await rm(this.link(name), { recursive: true });
  }

  /** Where a removed plugin lies until it is deleted for good or restored: a folder, or a link to one. */
  trashPath(name: string): string {
    return this.link(`${trashPrefix}${name}`);
  }

  async moveToTrash(name: string): Promise<void> {
    await this.deleteTrashed(name);
    await rename(this.link(name), this.trashPath(name));
  }

  async deleteTrashed(name: string): Promise<void> {
    await rm(this.trashPath(name), { recursive: true, force: true });
  }

  /** Names of all plugins in the trash. */
  async trashed(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter((name) => name.startsWith(trashPrefix)).map((name) => name.slice(trashPrefix.length));
  }

  /** Where the link of a plugin leads to, for `restore`; undefined where there is none. */
  async linkOf(name: string): Promise<string | undefined> {
    const target = await this.#target(name);
    return target && basename(target);
  }

  /** Puts a plugin back as it was: from the trash, or the package that its link led to, or nothing. */
  async restore(name: string, target: string | undefined): Promise<void> {
    if (await lstat(this.trashPath(name)).catch(() => undefined)) await rename(this.trashPath(name), this.link(name));
    else if (target !== undefined) await this.#relink(name, target);
    else if ((await this.linkOf(name)) !== undefined) await rm(this.link(name));
  }

  /**
   * Sweeps what killed commands left, and versions that were replaced or removed, unless a process has loaded them:
   * modules and files of theirs may still be asked for.
   */
  async sweep(running: readonly InstanceProcess[]): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    const used = new Set(running.flatMap(({ packages = [] }) => packages));
    const isKnown = running.every(({ packages }) => packages !== undefined);
    for (const name of names) {
      if (name.startsWith('.staging-') || /\.new-[0-9a-f]{8}$/.test(name)) {
        const path = join(this.folder, name);
        const made = (await lstat(path).catch(() => undefined))?.mtimeMs ?? Infinity;
        if (Date.now() - made > unfinishedMs) await rm(path, { recursive: true, force: true });
      } else {
        const target = await this.#target(name);
        if (target) used.add(basename(target));
      }
    }
    // one that has not loaded its plugins yet may be about to load any version
    if (!isKnown) return;
    for (const name of await readdir(this.packages).catch(() => []))
      if (!used.has(name)) await rm(join(this.packages, name), { recursive: true, force: true });
    for (const name of await readdir(this.records).catch(() => []))
      if (!used.has(basename(name, '.json'))) await rm(join(this.records, name), { force: true });
  }

  /** The folder that the link of a name leads to; undefined for what was put there by hand. */
  async #target(name: string): Promise<string | undefined> {
    const link = this.link(name);
    if (!(await lstat(link).catch(() => undefined))?.isSymbolicLink()) return undefined;
    const path = join(dirname(link), await readlink(link));
    return dirname(path) === this.packages ? path : undefined;
  }
}
