import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Conflict, Problem, type HeldLock, type Storage } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { createHost } from '../host.js';
import { withPluginOn } from '../installed-plugins/index.js';
import { unpackFile } from '../installed-plugins/npm.js';
import { purge } from '../installed-plugins/purge.js';
import { PluginStore } from '../installed-plugins/store.js';
import { disablePlugins, enablePlugins } from '../installed-plugins/switches.js';
import type { TaskOptions } from '../installed-plugins/task-process.js';
import { isLocalProcess, runningInstance, type InstanceProcess } from '../instance/index.js';
import { vouchFor } from '../plugins/integrity.js';
import { readApplied, writeApplied } from './applied.js';
import { isAppliedEverywhere, packageArea, PluginChangeTable, type StoredChange, type StoredNode } from './table.js';

interface ChangeApplierDeps {
  readonly options: TaskOptions;
  readonly workDir: string;
  readonly settingsFile: string;
  readonly database: KernelDatabase;
  readonly packages: Storage;
  readonly node: Pick<StoredNode, 'id' | 'host'>;
  /** Replaces the workers; undefined where somebody restarts this node by hand. Gives whether all were replaced. */
  readonly restart: (() => Promise<boolean>) | undefined;
  readonly lock: HeldLock;
}

/** How plugins lay before the changes. */
interface Snapshot {
  readonly links: ReadonlyMap<string, string | undefined>;
  readonly settings: string | undefined;
}

/** A change of an earlier time that this node cannot make. */
interface FailedChange {
  readonly id: number;
  readonly problem: string;
}

/** What came before the removal of its plugin is of no use any more. */
const withoutRemoved = (changes: readonly StoredChange[]): StoredChange[] =>
  changes.filter(
    ({ id, plugin }) =>
      !changes.some((one) => one.id > id && one.plugin === plugin && (one.kind === 'remove' || one.kind === 'purge')),
  );

/** Applies changes to the plugins of one node, while it has its turn: files and settings, and then its workers. */
export class ChangeApplier {
  readonly #table: PluginChangeTable;
  readonly #store: PluginStore;

  constructor(private readonly deps: ChangeApplierDeps) {
    this.#table = new PluginChangeTable(deps.database);
    this.#store = new PluginStore(join(deps.workDir, 'plugins'));
  }

  /** Gives why a change could not be made here; the table of changes tells it too. */
  async run(): Promise<string | undefined> {
    await mkdir(this.#store.folder, { recursive: true });
    await this.#emptyTrash();
    const applied = await readApplied(this.deps.workDir);
    const known = await this.#table.node(this.deps.node.id);
    const wanted = await this.#table.after(known?.changeId ?? applied);
    const failed = wanted.length > 0 ? await this.#applyAll(wanted, known?.changeId ?? applied, applied) : undefined;
    // what this node had begun was cancelled after the process that made it was killed; others wait for nodes that run one
    if (wanted.length === 0 && known?.state === 'running') await this.#note(known.changeId, 'done');
    await this.#finish();
    return failed;
  }

  /**
   * Deletes plugins whose removal is over. One that is being removed may still be restored, and a purge that failed be retried:
   * it needs the plugin, which drops its own tables.
   */
  async #emptyTrash(): Promise<void> {
    for (const name of await this.#store.trashed()) {
      const { kind, state } = (await this.#table.lastOf(name)) ?? {};
      const isKept = (kind === 'remove' && state === 'running') || (kind === 'purge' && state !== 'done');
      if (!isKept) await this.#store.deleteTrashed(name);
    }
  }

  /**
   * Carries out changes together, or leaves everything as it was: then those that run have failed. One that other nodes
   * have made already, and that cannot be made here any more, is skipped and tried again after the next start.
   */
  async #applyAll(wanted: readonly StoredChange[], before: number, applied: number): Promise<string | undefined> {
    const last = wanted.at(-1)!.id;
    await this.#note(before, 'running');
    const snapshot = await this.#snapshot(wanted);
    let hasTriedRestart = false;
    let firstFailed: FailedChange | undefined;
    try {
      // another node with the same folder may have done so
      for (const change of withoutRemoved(wanted.filter(({ id }) => id > applied)))
        if (change.state === 'running') await this.#apply(change);
        else {
          const problem = await this.#tryApply(change);
          if (problem !== undefined) firstFailed ??= { id: change.id, problem };
        }
      await this.deps.lock.check();
      if (await this.#isCancelled(wanted)) throw Conflict('it was cancelled');
      if (this.deps.restart) {
        hasTriedRestart = true;
        await this.#restart(wanted);
      }
      await writeApplied(this.deps.workDir, firstFailed ? firstFailed.id - 1 : last);
    } catch (error) {
      await this.#restore(snapshot);
      if (hasTriedRestart) await this.deps.restart?.();
      if (await this.#isCancelled(wanted)) {
        await this.#note(before, 'done');
        return;
      }
      await this.#fail(wanted, last, (error as Error).message);
      return (error as Error).message;
    }
    if (firstFailed) await this.#note(last, 'failed', firstFailed.problem);
    else await this.#note(last, this.deps.restart ? 'done' : 'restart_pending');
    for (const { kind, plugin } of wanted) if (kind === 'remove') await this.#store.deleteTrashed(plugin);
    await this.#store.sweep(await runningInstance(this.deps.workDir));
    return firstFailed?.problem;
  }

  /** Whether one of those that ran when this node began was cancelled since. */
  async #isCancelled(wanted: readonly StoredChange[]): Promise<boolean> {
    for (const { id, state } of wanted)
      if (state === 'running' && (await this.#table.get(id)).state === 'cancelled') return true;
    return false;
  }

  /** Applies a change that other nodes have made already. Gives why it cannot be made here; a plugin that is not here needs no switch. */
  async #tryApply(change: StoredChange): Promise<string | undefined> {
    try {
      await this.#apply(change);
    } catch (error) {
      const isSwitch = change.kind === 'enable' || change.kind === 'disable';
      if (isSwitch && error instanceof Problem && error.code === 'not_found') return;
      return `${change.kind} ${change.plugin}: ${(error as Error).message}`;
    }
  }

  async #apply({ kind, plugin, blob, details }: StoredChange): Promise<void> {
    const { options } = this.deps;
    switch (kind) {
      case 'enable':
        await enablePlugins(options, [plugin]);
        return;
      case 'disable':
        await disablePlugins(options, [plugin]);
        return;
      case 'remove':
      case 'purge':
        if (this.#store.has(plugin)) await this.#store.moveToTrash(plugin);
        return;
      default:
        // a later change has taken its place
        if (blob !== undefined) await this.#install(plugin, blob, details);
    }
  }

  async #install(plugin: string, blob: string, { version, record }: StoredChange['details']): Promise<void> {
    if (version === undefined || record?.integrity === undefined) throw Conflict('it was never prepared');
    if ((await this.#store.recordOf(plugin))?.integrity === record.integrity) return;
    const staging = await this.#store.stage();
    try {
      const packed = join(staging, 'packed.tgz');
      const { stream } = await this.deps.packages.area(packageArea).get(blob);
      await pipeline(stream, createWriteStream(packed));
      const folder = join(staging, 'package');
      await mkdir(folder);
      await unpackFile(packed, folder);
      if (vouchFor(folder).integrity !== record.integrity)
        throw Conflict(
          `the files of ${plugin} ${version} in the storage have another sha512 than when they were tried`,
        );
      await this.#store.activate(plugin, version, folder, record);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  /** Throws where the workers are not replaced, or go on without one of the plugins. */
  async #restart(wanted: readonly StoredChange[]): Promise<void> {
    const olds = new Set((await this.#localProcesses()).map((one) => one.process));
    if (!(await this.deps.restart?.())) throw Conflict('a new worker does not start; see the log of this node');
    const news = (await this.#localProcesses()).filter((one) => !olds.has(one.process));
    for (const { kind, plugin } of wanted) {
      if (kind === 'remove' || kind === 'purge' || kind === 'disable') continue;
      const problem = news.map(({ failed }) => failed?.[plugin]).find((one) => one !== undefined);
      if (problem !== undefined) throw Conflict(problem);
    }
  }

  async #localProcesses(): Promise<InstanceProcess[]> {
    return (await runningInstance(this.deps.workDir)).filter(isLocalProcess);
  }

  async #snapshot(wanted: readonly StoredChange[]): Promise<Snapshot> {
    const links = new Map<string, string | undefined>();
    for (const { plugin } of wanted) links.set(plugin, await this.#store.linkOf(plugin));
    const settings = await readFile(this.deps.settingsFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return { links, settings: settings ?? undefined };
  }

  async #restore({ links, settings }: Snapshot): Promise<void> {
    for (const [plugin, target] of links) await this.#store.restore(plugin, target);
    const { settingsFile } = this.deps;
    const now = await readFile(settingsFile, 'utf8').catch(() => undefined);
    if (now === settings) return;
    if (settings === undefined) return rm(settingsFile);
    await writeFile(`${settingsFile}.draft`, settings, { mode: 0o600 });
    await rename(`${settingsFile}.draft`, settingsFile);
  }

  async #note(changeId: number, state: StoredNode['state'], problem?: string): Promise<void> {
    await this.deps.database.write(() => this.#table.writeNode({ ...this.deps.node, changeId, state, problem }));
  }

  /** The change has failed for the whole site: no other node begins. */
  async #fail(wanted: readonly StoredChange[], last: number, why: string): Promise<void> {
    const { database, node } = this.deps;
    await database.write(async () => {
      await this.#table.writeNode({ ...node, changeId: last, state: 'failed', problem: why });
      for (const { id, state } of wanted)
        if (state === 'running') await this.#table.move(id, 'running', 'failed', { problem: `${node.host}: ${why}` });
    });
  }

  /** Once every node has made the change that runs, it is done; of a purge the data goes then. */
  async #finish(): Promise<void> {
    const change = await this.#table.running();
    if (!change || !isAppliedEverywhere(change, await this.#table.nodes())) return;
    const { id, kind, plugin } = change;
    try {
      if (kind === 'purge') await this.#purge(plugin);
    } catch (error) {
      const problem = `${plugin} is removed, but not all of its data: ${(error as Error).message}`;
      await this.deps.database.write(() => this.#table.move(id, 'running', 'failed', { problem }));
      return;
    }
    const unused = await this.deps.database.write(async () => {
      await this.#table.move(id, 'running', 'done');
      // a node that comes later takes the last version, or nothing
      return this.#table.clearBlobKeys((rows) => {
        if (kind === 'enable' || kind === 'disable') return void rows.whereRaw('1 = 0');
        rows.where({ plugin }).where('id', kind === 'add' || kind === 'update' ? '<' : '<=', id);
      });
    });
    for (const key of unused) await this.deps.packages.area(packageArea).delete(key);
    if (kind === 'purge') await this.#store.deleteTrashed(plugin);
  }

  async #purge(plugin: string): Promise<void> {
    if (this.#store.has(plugin)) throw Conflict('it is in place again');
    if (!(await this.#store.trashed()).includes(plugin)) throw Conflict('its files are not here any more');
    const host = await createHost({
      ...withPluginOn(this.deps.options, plugin),
      candidates: [this.#store.trashPath(plugin)],
      tolerant: true,
      logStream: 'stderr',
      logLevel: 'none',
    });
    try {
      await purge(host, plugin);
    } finally {
      await host.stop();
    }
  }
}
