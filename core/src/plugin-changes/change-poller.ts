import { hostname } from 'node:os';
import type { Logger } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import type { NodeLink } from '../host/contract.js';
import { readApplied, writeApplied } from './applied.js';
import { isAppliedEverywhere, PluginChangeTable } from './table.js';

const pollMs = 5000;

interface ChangePollerDeps {
  readonly database: KernelDatabase;
  readonly workDir: string;
  readonly log: Logger;
  readonly node: NodeLink;
}

/** Asks the database, in each worker, for changes that this node has not made yet, and notes that the node is there. */
export class ChangePoller {
  readonly #table: PluginChangeTable;
  readonly #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void>;

  constructor(private readonly deps: ChangePollerDeps) {
    this.#table = new PluginChangeTable(deps.database);
    this.#looking = this.#look();
    // on SQLite there is one node, and whoever confirms tells it
    if (deps.database.engine === 'sqlite') return;
    this.#timer = setInterval(() => (this.#looking = this.#looking.then(() => this.#look())), pollMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    try {
      if (await this.#hasWork()) this.deps.node.applyChanges();
    } catch (error) {
      this.deps.log.warn('could not look for changes of plugins', { event: 'plugin.changes', error });
    }
  }

  async #hasWork(): Promise<boolean> {
    const { id } = this.deps.node;
    const known = await this.#table.node(id);
    if (known) await this.#table.sawNode(known);
    const changeId = known?.changeId ?? (await this.#join());
    const nodes = await this.#table.nodes();
    // it would wait for its turn
    if (nodes.some((one) => one.id !== id && one.state === 'running')) return false;
    if ((await this.#table.after(changeId)).length > 0) return true;
    const running = await this.#table.running();
    return running !== undefined && isAppliedEverywhere(running, nodes);
  }

  /** The node has just begun: it runs what its folder of plugins holds. */
  async #join(): Promise<number> {
    const { database, node, workDir } = this.deps;
    const applied = await readApplied(workDir);
    const changeId = Math.min(applied, await this.#table.lastId());
    // the database is another one than then
    if (changeId < applied) await writeApplied(workDir, changeId);
    await database.write(() =>
      this.#table.writeNode({ id: node.id, host: hostname(), changeId, state: 'done', problem: undefined }),
    );
    return changeId;
  }
}
