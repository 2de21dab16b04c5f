import {
  Conflict,
  NotFound,
  type PluginChangeKind,
  type PluginChangeState,
  type PluginContents,
} from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { isGone } from '../leases.js';
import type { PluginRecord } from '../plugins/integrity.js';

/** What is known of a change beside its columns. */
interface ChangeDetails {
  /** The process that prepares it; see `leaseOwner`. */
  readonly preparedBy?: string;
  readonly version?: string;
  readonly from?: string;
  readonly size?: number;
  readonly contents?: PluginContents;
  readonly record?: PluginRecord;
}

export interface StoredChange {
  readonly id: number;
  readonly kind: PluginChangeKind;
  readonly plugin: string;
  readonly state: PluginChangeState;
  readonly source: string;
  /** Key of the packed plugin in the storage area. */
  readonly blob: string | undefined;
  readonly details: ChangeDetails;
  readonly problem: string | undefined;
  readonly changedAt: number;
}

export interface StoredNode {
  readonly id: string;
  readonly host: string;
  /** The last change that it has made, or failed to make. */
  readonly changeId: number;
  readonly state: 'running' | 'restart_pending' | 'done' | 'failed';
  readonly problem: string | undefined;
  readonly seenAt: number;
}

interface ChangeRow extends Omit<StoredChange, 'blob' | 'details' | 'problem' | 'changedAt'> {
  readonly blob: string | null;
  readonly details: string;
  readonly problem: string | null;
  readonly changed_at: number;
}

interface NodeRow extends Pick<StoredNode, 'id' | 'host' | 'state'> {
  readonly change_id: number;
  readonly problem: string | null;
  readonly seen_at: number;
}

type NewChange = Pick<StoredChange, 'kind' | 'plugin' | 'state' | 'source' | 'details'> &
  Partial<Pick<StoredChange, 'blob'>>;

/** Storage area of packed plugins. */
export const packageArea = 'plugins';
/** A node that was not seen for so long is gone, in milliseconds. */
const goneMs = 90_000;
/** A node says that it is there so often, in milliseconds. */
const seenMs = 30_000;
/** So many changes are kept, and those that ended in the last 90 days. */
const minKept = 100;
const keptMs = 90 * 86_400_000;
const ended: readonly PluginChangeState[] = ['done', 'failed', 'discarded', 'cancelled'];
const maxProblem = 4000;

/** The tables `plugin_change` and `plugin_node`. */
export class PluginChangeTable {
  constructor(private readonly database: KernelDatabase) {}

  #changes() {
    return this.database.knex()<ChangeRow>('plugin_change');
  }

  #nodes() {
    return this.database.knex()<NodeRow>('plugin_node');
  }

  async get(id: number): Promise<StoredChange> {
    const row = await this.#changes().where({ id }).first();
    if (!row) throw NotFound(`There is no change ${id} of plugins.`);
    return toChange(row as ChangeRow);
  }

  /** The newest first. */
  async list(limit: number): Promise<StoredChange[]> {
    return ((await this.#changes().orderBy('id', 'desc').limit(limit)) as ChangeRow[]).map(toChange);
  }

  /** The change that the nodes carry out now. */
  async running(): Promise<StoredChange | undefined> {
    const row = (await this.#changes().where({ state: 'running' }).first()) as ChangeRow | undefined;
    return row && toChange(row);
  }

  /** What a node that has come so far has to do, in this order. */
  async after(id: number): Promise<StoredChange[]> {
    const rows = await this.#changes().whereIn('state', ['running', 'done']).where('id', '>', id).orderBy('id');
    return (rows as ChangeRow[]).map(toChange);
  }

  async lastId(): Promise<number> {
    const row = await this.#changes().max<{ id: number | null }[]>({ id: 'id' });
    return row[0]?.id ?? 0;
  }

  /** Of those that nodes carry out or have carried out. */
  async lastStartedId(): Promise<number> {
    const row = await this.#changes()
      .whereIn('state', ['running', 'done', 'failed', 'cancelled'])
      .max<{ id: number | null }[]>({ id: 'id' });
    return row[0]?.id ?? 0;
  }

  /** The last change of this plugin that nodes carry out or have carried out. */
  async lastOf(plugin: string): Promise<StoredChange | undefined> {
    const row = (await this.#changes()
      .where({ plugin })
      .whereIn('state', ['running', 'done', 'failed', 'cancelled'])
      .orderBy('id', 'desc')
      .first()) as ChangeRow | undefined;
    return row && toChange(row);
  }

  /** In a transaction. */
  async insert({ details, ...change }: NewChange): Promise<number> {
    const [id] = await this.database
      .knex()('plugin_change')
      .insert({ ...change, details: JSON.stringify(details), changed_at: Date.now() });
    return id!;
  }

  /**
   * In a transaction: forgets changes that are long over, except those that nodes which begin later still make. Gives the
   * keys of blobs that are unused from then on.
   */
  async prune(): Promise<string[]> {
    const newest = (await this.#changes().orderBy('id', 'desc').offset(minKept).first()) as ChangeRow | undefined;
    if (!newest) return [];
    const old = (rows: ReturnType<PluginChangeTable['blobRows']>) =>
      rows
        .where('id', '<=', newest.id)
        .where('changed_at', '<', Date.now() - keptMs)
        .whereIn('state', ended);
    const unused = await this.clearBlobKeys((rows) => old(rows).whereNot('state', 'done'));
    const needed = [...(await this.#lastDone(['enable', 'disable'])), ...(await this.#lastDone(['remove', 'purge']))];
    await old(this.#changes().whereNull('blob')).whereNotIn('id', needed).delete();
    return unused;
  }

  /** Of each plugin. */
  async #lastDone(kinds: readonly PluginChangeKind[]): Promise<number[]> {
    const rows = await this.#changes()
      .where({ state: 'done' })
      .whereIn('kind', kinds)
      .groupBy('plugin')
      .max<{ id: number }[]>({ id: 'id' });
    return rows.map(({ id }) => id);
  }

  /** In a transaction. Conflict where the change has left the state `from` since. */
  async move(
    id: number,
    from: PluginChangeState,
    to: PluginChangeState,
    more: Partial<Pick<StoredChange, 'kind' | 'plugin' | 'blob' | 'details' | 'problem'>> = {},
  ): Promise<void> {
    const { details, problem, ...rest } = more;
    const count = await this.#changes()
      .where({ id, state: from })
      .update({
        ...rest,
        state: to,
        changed_at: Date.now(),
        ...(details && { details: JSON.stringify(details) }),
        ...(problem !== undefined && { problem: problem.slice(0, maxProblem) }),
      });
    if (count === 0)
      throw Conflict(
        'This change has been confirmed, discarded or finished in the meantime. Reload the page to see its state.',
      );
  }

  /** In a transaction: clears the keys of packed plugins that no node needs any more. Gives those that no other row has. */
  async clearBlobKeys(of: (query: ReturnType<PluginChangeTable['blobRows']>) => unknown): Promise<string[]> {
    const query = this.blobRows();
    of(query);
    const rows = (await query) as ChangeRow[];
    if (rows.length === 0) return [];
    await this.#changes()
      .whereIn(
        'id',
        rows.map(({ id }) => id),
      )
      .update({ blob: null });
    const keys = [...new Set(rows.flatMap(({ blob }) => blob ?? []))];
    const kept = (await this.#changes().whereIn('blob', keys).select('blob')) as Pick<ChangeRow, 'blob'>[];
    return keys.filter((key) => !kept.some(({ blob }) => blob === key));
  }

  /** A query of all rows that have a packed plugin. */
  blobRows() {
    return this.#changes().whereNotNull('blob');
  }

  /** Nodes that serve. */
  async nodes(): Promise<StoredNode[]> {
    const rows = (await this.#nodes()
      .where('seen_at', '>', Date.now() - goneMs)
      .orderBy('host')
      .orderBy('id')) as NodeRow[];
    return rows.filter(({ id }) => !isGone(id)).map(toNode);
  }

  async node(id: string): Promise<StoredNode | undefined> {
    const row = (await this.#nodes().where({ id }).first()) as NodeRow | undefined;
    return row && toNode(row);
  }

  /** In a transaction: also forgets the nodes that are gone. */
  async writeNode({ id, host, changeId, state, problem }: Omit<StoredNode, 'seenAt'>): Promise<void> {
    const row = {
      host: host.slice(0, 255),
      change_id: changeId,
      state,
      problem: problem?.slice(0, maxProblem) ?? null,
      seen_at: Date.now(),
    };
    await this.#nodes()
      .insert({ id, ...row })
      .onConflict('id')
      .merge();
    await this.#nodes()
      .where('seen_at', '<', Date.now() - 10 * goneMs)
      .delete();
  }

  /** The node serves still; writes now and then only. */
  async sawNode({ id, seenAt }: StoredNode): Promise<void> {
    if (Date.now() - seenAt < seenMs) return;
    await this.database.write(() => this.#nodes().where({ id }).update({ seen_at: Date.now() }));
  }
}

/** Whether every node that serves has made the change; nobody may use any more what a purge deletes. */
export function isAppliedEverywhere({ id, kind }: StoredChange, nodes: readonly StoredNode[]): boolean {
  return nodes.every(({ changeId, state }) => changeId >= id && (kind !== 'purge' || state !== 'restart_pending'));
}

const toChange = ({ blob, details, problem, changed_at, ...row }: ChangeRow): StoredChange => ({
  ...row,
  blob: blob ?? undefined,
  details: JSON.parse(details) as ChangeDetails,
  problem: problem ?? undefined,
  changedAt: changed_at,
});

const toNode = ({ change_id, problem, seen_at, ...row }: NodeRow): StoredNode => ({
  ...row,
  changeId: change_id,
  problem: problem ?? undefined,
  seenAt: seen_at,
});
