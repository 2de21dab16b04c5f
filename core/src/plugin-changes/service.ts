import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import gt from 'semver/functions/gt.js';
import {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  Problem,
  type Locks,
  type PluginChange,
  type PluginChangeNode,
  type PluginChanges,
  type PluginPackageSource,
  type Storage,
} from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import type { KernelDatabase } from '../contracts.js';
import type { HostOptions } from '../host/contract.js';
import { isGone, leaseOwner } from '../leases.js';
import { isPackageName, type Wanted } from '../installed-plugins/npm.js';
import { PluginStore } from '../installed-plugins/store.js';
import { findPackage } from '../plugins/known.js';
import { packageArea, PluginChangeTable, type StoredChange, type StoredNode } from './table.js';

interface PluginChangesDeps {
  readonly composition: Composition;
  readonly options: HostOptions;
  readonly database: KernelDatabase;
  readonly storage: Storage;
  readonly locks: Locks;
}

type PreparedKind = 'add' | 'update' | 'remove' | 'purge';

interface Proposal extends Pick<StoredChange, 'plugin' | 'source'> {
  readonly kind: PreparedKind;
}

/** One that is older was left behind by a process that was killed; in milliseconds. */
const maxPreparingMs = 1_000_000;
const maxListed = 50;
/** Held while changes begin, so that one goes on at a time. */
const beginLock = 'core.beginPluginChange';

/** What is asked of the plugins of all nodes; `applyChanges` carries it out on each. */
export class PluginChangeService implements PluginChanges {
  readonly #table: PluginChangeTable;
  /** Marks what this process prepares. */
  readonly #owner = leaseOwner();
  #preparing: Promise<void> = Promise.resolve();

  constructor(private readonly deps: PluginChangesDeps) {
    this.#table = new PluginChangeTable(deps.database);
  }

  get isEnabled(): boolean {
    const { composition, options } = this.deps;
    return composition.settings.plugins.ENABLE_INSTALLATION && options.node !== undefined;
  }

  async install(source: PluginPackageSource): Promise<PluginChange> {
    this.#checkEnabled();
    if ('packageName' in source && !isPackageName(source.packageName))
      throw BadRequest(`"${source.packageName}" is not a name of a package, with or without a version.`);
    const folder = await this.#openFolder();
    const wanted = await wantedOf(source, folder);
    const text = 'packageName' in source ? source.packageName : source.fileName;
    return this.#propose({ kind: 'add', plugin: '', source: text.slice(0, 300) }, folder, wanted);
  }

  update(plugin: string): Promise<PluginChange> {
    return this.#proposeFor('update', plugin);
  }

  remove(plugin: string): Promise<PluginChange> {
    return this.#proposeFor('remove', plugin);
  }

  purge(plugin: string): Promise<PluginChange> {
    return this.#proposeFor('purge', plugin);
  }

  async get(id: number): Promise<PluginChange> {
    const [change, nodes] = await Promise.all([this.#table.get(id), this.#table.nodes()]);
    return shown(change, nodes);
  }

  async list(): Promise<readonly PluginChange[]> {
    const [changes, nodes] = await Promise.all([this.#table.list(maxListed), this.#table.nodes()]);
    return changes.map((one) => shown(one, nodes));
  }

  async confirm(id: number, within: (change: PluginChange) => Promise<void>): Promise<void> {
    this.#checkEnabled();
    await this.#checkNoDowngrade(await this.#table.get(id));
    await this.#begin(async () => {
      await this.#table.move(id, 'proposed', 'running');
      // nodes that made a later one would take it for done
      if (id < (await this.#table.lastStartedId()))
        throw Conflict('Plugins were changed since this was proposed. Propose it again.');
      await within(await this.get(id));
      return [];
    });
    this.deps.options.node?.applyChanges();
  }

  async discard(id: number): Promise<void> {
    this.#checkEnabled();
    await this.#deleteUnusedBlobs(async () => {
      await this.#table.move(id, 'proposed', 'discarded');
      return this.#table.clearBlobKeys((rows) => rows.where({ id }));
    });
  }

  async cancel(id: number, within: (change: PluginChange) => Promise<void>): Promise<void> {
    await this.deps.database.write(async () => {
      const { nodes } = await this.get(id);
      await this.#table.move(id, 'running', 'cancelled', { problem: progressIn(nodes) });
      await within(await this.get(id));
    });
  }

  async retry(id: number): Promise<PluginChange> {
    this.#checkEnabled();
    let again = 0;
    await this.#begin(async () => {
      const unused = await this.#discardOpen();
      const change = await this.#table.get(id);
      if (!canRetry(change))
        throw Conflict('This change cannot be tried again: it did not fail, or its files are gone. Propose it anew.');
      const { kind, plugin, source, blob, details } = change;
      again = await this.#table.insert({ kind, plugin, source, blob, details, state: 'proposed' });
      return unused;
    });
    return this.get(again);
  }

  /** A plugin is switched on all nodes; whether that can be is known already. A change that awaits confirmation is discarded. */
  async beginSwitch(kind: 'enable' | 'disable', plugin: string): Promise<void> {
    await this.#begin(async () => {
      const unused = await this.#discardOpen();
      await this.#table.insert({ kind, plugin, state: 'running', source: plugin, details: {} });
      return [...unused, ...(await this.#table.prune())];
    });
    this.deps.options.node?.applyChanges();
  }

  /** Waits for what is being prepared: a worker that was replaced serves no more, but ends what it began. */
  async stop(): Promise<void> {
    await this.#preparing;
  }

  #checkEnabled(): void {
    if (this.isEnabled) return;
    throw Forbidden(
      this.deps.options.node === undefined
        ? 'Plugins are changed here only where mortise web runs.'
        : '[plugins] ENABLE_INSTALLATION is false: plugins are changed by the operator of this server.',
    );
  }

  /** By commands, another version may have been put there since the change was proposed. */
  async #checkNoDowngrade({ kind, plugin, details: { version } }: StoredChange): Promise<void> {
    if ((kind !== 'add' && kind !== 'update') || version === undefined) return;
    const installed = await new PluginStore(join(this.deps.composition.workDir, 'plugins')).versionOf(plugin);
    if (installed !== undefined && gt(installed, version))
      throw Conflict(`${plugin} ${installed} is installed here by now, which is newer than ${version}.`);
  }

  /** Runs `work` as `#deleteUnusedBlobs` does, unless the nodes carry out another change. */
  async #begin(work: () => Promise<string[]>): Promise<void> {
    await this.deps.locks.hold(beginLock, async () => {
      const running = await this.#table.running();
      if (running)
        throw Conflict(
          `Another change of plugins is not finished: ${running.kind} ${running.plugin}. Wait until all nodes have made it, or cancel it.`,
        );
      await this.#deleteUnusedBlobs(work);
    });
  }

  async #proposeFor(kind: Exclude<PreparedKind, 'add'>, name: string): Promise<PluginChange> {
    this.#checkEnabled();
    const known = findPackage(this.deps.composition.onDisk().packages, name);
    if (!known) throw NotFound(`There is no plugin ${name}.`);
    return this.#propose({ kind, plugin: known.name, source: known.name }, await this.#openFolder());
  }

  async #propose(change: Proposal, folder: string, wanted?: Wanted): Promise<PluginChange> {
    const id = await this.#insertProposal(change).catch(async (error: unknown) => {
      await dropUpload(wanted);
      throw error;
    });
    this.#preparing = this.#prepare(id, change, { wanted, folder });
    return this.get(id);
  }

  /** At most one is being prepared or awaits confirmation. */
  async #insertProposal(change: Proposal): Promise<number> {
    return this.deps.locks.hold(beginLock, async () => {
      let id = 0;
      await this.#deleteUnusedBlobs(async () => {
        const unused = await this.#discardOpen();
        id = await this.#table.insert({ ...change, state: 'preparing', details: { preparedBy: this.#owner } });
        return [...unused, ...(await this.#table.prune())];
      });
      return id;
    });
  }

  /** In a transaction, and with the lock: discards what awaits confirmation. Gives the keys of blobs that are unused from then on. */
  async #discardOpen(): Promise<string[]> {
    const open = (await this.#table.list(maxListed)).filter(
      ({ state }) => state === 'preparing' || state === 'proposed',
    );
    if (open.some((one) => one.state === 'preparing' && !isOrphaned(one)))
      throw Conflict('Another change of plugins is being prepared. Wait until that has ended.');
    for (const one of open) await this.#table.move(one.id, one.state, 'discarded');
    return this.#table.clearBlobKeys((rows) => rows.where({ state: 'discarded' }));
  }

  /** Never rejects: how it went is in the row. */
  async #prepare(
    id: number,
    { kind, plugin }: Proposal,
    { wanted, folder }: { readonly wanted?: Wanted; readonly folder: string },
  ): Promise<void> {
    const { composition, database, options, storage } = this.deps;
    const file = join(folder, `${randomBytes(8).toString('hex')}-packed.tgz`);
    try {
      const { prepareChange } = await import('./prepare-task.js');
      const { name, version, from, record, contents } = await prepareChange(options, {
        kind,
        request: { wanted, file, plugin },
      });
      const isPacked = kind === 'add' || kind === 'update';
      const blob = isPacked ? await storage.area(packageArea).putByHash(createReadStream(file)) : undefined;
      await database.write(async () =>
        this.#table.move(id, 'preparing', 'proposed', {
          ...(isPacked && { kind: from === undefined ? 'add' : 'update' }),
          plugin: name,
          blob: blob?.key,
          details: {
            version,
            from,
            record,
            size: blob?.size,
            contents,
          },
        }),
      );
    } catch (error) {
      const log = composition.log;
      if (!(error instanceof Problem))
        log.error('a change of plugins could not be prepared', { event: 'plugin.prepare', error });
      await database
        .write(() => this.#table.move(id, 'preparing', 'failed', { problem: (error as Error).message }))
        .catch((failed: unknown) =>
          log.error('the state of a change of plugins could not be stored', { event: 'plugin.prepare', error: failed }),
        );
    } finally {
      await rm(file, { force: true });
      await dropUpload(wanted);
    }
  }

  /** Where uploads lie until they are unpacked; what killed processes left there goes. */
  async #openFolder(): Promise<string> {
    const folder = join(this.deps.composition.workDir, 'tmp', 'plugin-changes');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const { mtimeMs = Infinity } = (await stat(path).catch(() => undefined)) ?? {};
      if (Date.now() - mtimeMs > maxPreparingMs) await rm(path, { force: true });
    }
    return folder;
  }

  /** Runs `work` in a transaction, and deletes the blobs whose keys it gives once that has committed. */
  async #deleteUnusedBlobs(work: () => Promise<string[]>): Promise<void> {
    const keys = await this.deps.database.write(work);
    for (const key of keys) await this.deps.storage.area(packageArea).delete(key);
  }
}

async function wantedOf(source: PluginPackageSource, folder: string): Promise<Wanted> {
  if ('packageName' in source) return { kind: 'registry', text: source.packageName };
  const path = join(folder, `${randomBytes(8).toString('hex')}.tgz`);
  try {
    await pipeline(source.file, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { kind: 'file', text: path };
}

async function dropUpload(wanted: Wanted | undefined): Promise<void> {
  if (wanted?.kind === 'file') await rm(wanted.text, { force: true });
}

const isOrphaned = ({ state, changedAt, details: { preparedBy } }: StoredChange): boolean =>
  state === 'preparing' &&
  (Date.now() - changedAt > maxPreparingMs || (preparedBy !== undefined && isGone(preparedBy)));

function shown(change: StoredChange, nodes: readonly StoredNode[]): PluginChange {
  const { id, kind, plugin, state, source, details, problem, changedAt } = change;
  const { version, from, size, contents, record } = details;
  const orphaned = isOrphaned(change);
  return {
    id,
    kind,
    plugin,
    source,
    state: orphaned ? 'failed' : state,
    ...(version !== undefined && { version }),
    ...(from !== undefined && { from }),
    ...(record?.integrity !== undefined && { integrity: record.integrity }),
    ...(size !== undefined && { size }),
    ...(contents && { contents }),
    ...(orphaned ? { problem: 'the process that prepared it has ended' } : problem !== undefined && { problem }),
    canRetry: canRetry(change),
    changedAt,
    nodes: hasNodeProgress(change, nodes) ? nodes.map((node) => progressOf(node, change)) : [],
  };
}

const isSwitch = ({ kind }: StoredChange): boolean => kind === 'enable' || kind === 'disable';

/** Whether it was prepared: one that failed before that has not reached any node. */
const isPrepared = (change: StoredChange): boolean => isSwitch(change) || change.details.version !== undefined;

function canRetry(change: StoredChange): boolean {
  const { kind, state, blob } = change;
  if (state !== 'failed' && state !== 'cancelled') return false;
  return kind === 'add' || kind === 'update' ? blob !== undefined : isPrepared(change);
}

/** Nodes that have begun a later change no longer report on this one. */
const hasNodeProgress = (change: StoredChange, nodes: readonly StoredNode[]): boolean =>
  change.state !== 'preparing' &&
  change.state !== 'proposed' &&
  change.state !== 'discarded' &&
  isPrepared(change) &&
  nodes.every(({ changeId }) => changeId <= change.id);

function progressOf({ host, changeId, state, problem }: StoredNode, change: StoredChange): PluginChangeNode {
  if (changeId < change.id)
    return { host, state: state === 'running' ? 'running' : change.state === 'running' ? 'waiting' : 'skipped' };
  return { host, state, ...(problem !== undefined && { problem }) };
}

/** What an administrator is told who cancels a change that came so far. */
function progressIn(nodes: readonly PluginChangeNode[]): string {
  const on = (...states: readonly PluginChangeNode['state'][]) =>
    nodes
      .filter(({ state }) => states.includes(state))
      .map(({ host }) => host)
      .join(', ') || 'no node';
  const unfinished = nodes.some(({ state }) => state === 'running')
    ? ` ${on('running')} had started and may still make it.`
    : '';
  return `Cancelled. Made on: ${on('done', 'restart_pending')}. Not made on: ${on('waiting', 'failed')}.${unfinished}`;
}
