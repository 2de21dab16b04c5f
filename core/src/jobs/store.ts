import { createHash } from 'node:crypto';
import { type JobOptions, isUniqueViolation } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { goneAmong } from '../leases.js';

export interface StoredJob {
  readonly id: number;
  readonly name: string;
  readonly payload: string;
  readonly attempts: number;
  /** Until when a process that may be gone had it; null for one that nobody ran. */
  readonly lease_until: number | null;
  readonly group_key: string | null;
}

export interface Wanted {
  readonly job: StoredJob;
  readonly leaseMs: number;
  /** How many of the job's group may run at once; on MySQL two processes that claim at one moment may each fill it. */
  readonly perGroup: number;
}

/** Jobs deleted in one transaction: others wait for it. */
const prunedAtOnce = 1000;

/** The table `job`. States: waiting, running, done, failed. */
export class JobStore {
  readonly #database: KernelDatabase;
  readonly #owner: string;

  constructor(database: KernelDatabase, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /** Must run in a transaction. With a key that waits already: gives the one that waits, which comes no later than asked. */
  async add(name: string, payload: unknown, options: JobOptions): Promise<{ id: string; isNew: boolean }> {
    const jobs = () => this.#database.knex()('job');
    const key = options.uniqueKey === undefined ? null : keyOf(name, options.uniqueKey);
    const now = Date.now();
    const row = {
      name,
      payload: JSON.stringify(payload ?? null),
      state: 'waiting',
      rank: -(options.priority ?? 0),
      run_at: options.runAt ?? now,
      unique_key: key,
      group_key: options.group === undefined ? null : keyOf(name, options.group),
      created_at: now,
    };
    for (let attempt = 1; ; attempt++) {
      const waits =
        key === null ? undefined : await jobs().where({ unique_key: key }).first<{ id: number } | undefined>('id');
      if (waits) {
        await jobs()
          .where({ id: waits.id, unique_key: key })
          .andWhere('run_at', '>', row.run_at)
          .update({ run_at: row.run_at });
        return { id: String(waits.id), isNew: false };
      }
      try {
        const [id] = await jobs().insert(row);
        return { id: String(id), isNew: true };
      } catch (error) {
        // On MySQL another transaction may have stored the key after our look.
        if (!isUniqueViolation(error) || attempt >= 5) throw error;
      }
    }
  }

  /** When the next waiting job is due or the next lease ends. Only reads. */
  async nextAt(): Promise<number | undefined> {
    const knex = this.#database.knex();
    const due = await knex('job').where({ state: 'waiting' }).min<{ at: number | null }>({ at: 'run_at' }).first();
    const lost = await knex('job')
      .where({ state: 'running' })
      .min<{ at: number | null }>({ at: 'lease_until' })
      .first();
    const times = [due?.at, lost?.at].filter((at): at is number => typeof at === 'number');
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /**
   * Lets jobs be claimed whose process of this machine has ended. Only those that ran for the first time: what ends each
   * process that runs it must not do so without a pause.
   */
  async freeLeases(): Promise<void> {
    const running = () => this.#database.knex()('job').where({ state: 'running' }).andWhere('attempts', '<=', 1);
    const gone = goneAmong(await running().distinct('lease_owner').pluck<(string | null)[]>('lease_owner'));
    if (gone.length > 0)
      await this.#database.write(
        async () => void (await running().whereIn('lease_owner', gone).update({ lease_until: 0 })),
      );
  }

  /** How many jobs of each group run now, on the whole site. Only reads. */
  async runningGroups(): Promise<Map<string, { name: string; count: number }>> {
    const rows = (await this.#database
      .knex()('job')
      .where({ state: 'running' })
      .whereNotNull('group_key')
      .groupBy('name', 'group_key')
      .select('name', 'group_key')
      .count({ count: '*' })) as unknown as { name: string; group_key: string; count: number | string }[];
    return new Map(rows.map((row) => [row.group_key, { name: row.name, count: Number(row.count) }]));
  }

  /** Jobs that could be claimed, best first, without those of full groups. Only reads. */
  async candidates(
    names: readonly string[],
    limit: number,
    now: number,
    full: readonly string[] = [],
  ): Promise<StoredJob[]> {
    if (names.length === 0 || limit <= 0) return [];
    const knex = this.#database.knex();
    const columns = ['id', 'name', 'payload', 'attempts', 'lease_until', 'group_key'];
    const lost = await knex('job')
      .where({ state: 'running' })
      .andWhere('lease_until', '<', Date.now())
      .whereIn('name', names)
      .limit(limit)
      .select<StoredJob[]>(columns);
    const waiting = await knex('job')
      .where({ state: 'waiting' })
      .andWhere('run_at', '<=', now)
      .whereIn('name', names)
      .where((any) => {
        if (full.length > 0) void any.whereNull('group_key').orWhereNotIn('group_key', full);
      })
      .orderBy([{ column: 'rank' }, { column: 'run_at' }, { column: 'id' }])
      .limit(limit)
      .select<StoredJob[]>(columns);
    return [...lost, ...waiting];
  }

  /** Claims those that are still free, in one transaction; gives them with the attempt counted. */
  async claim(wanted: readonly Wanted[]): Promise<StoredJob[]> {
    if (wanted.length === 0) return [];
    return this.#database.write(async () => {
      const claimed: StoredJob[] = [];
      const grouped = wanted.some(({ job, perGroup }) => job.group_key !== null && perGroup < Infinity);
      const running = grouped ? await this.runningGroups() : new Map<string, { name: string; count: number }>();
      for (const { job, leaseMs, perGroup } of wanted) {
        const count = job.group_key === null ? 0 : (running.get(job.group_key)?.count ?? 0);
        // one whose process died is counted already
        if (job.lease_until === null && job.group_key !== null && count >= perGroup) continue;
        const free = this.#database.knex()('job').where({ id: job.id, attempts: job.attempts });
        if (job.lease_until === null) free.where({ state: 'waiting' });
        else free.where({ state: 'running', lease_until: job.lease_until });
        const changed = await free.update({
          state: 'running',
          attempts: job.attempts + 1,
          unique_key: null,
          lease_owner: this.#owner,
          lease_until: Date.now() + leaseMs,
        });
        if (changed === 0) continue;
        claimed.push({ ...job, attempts: job.attempts + 1 });
        if (job.group_key !== null && job.lease_until === null)
          running.set(job.group_key, { name: job.name, count: count + 1 });
      }
      return claimed;
    });
  }

  /** Gives false when the job is not ours any more. */
  async renew(
    job: StoredJob,
    leaseMs: number,
    progress: { done?: number; total?: number; text?: string } = {},
  ): Promise<boolean> {
    const told =
      progress.done === undefined
        ? {}
        : {
            progress_done: progress.done,
            progress_total: progress.total,
            progress_text: progress.text?.slice(0, 250) ?? null,
          };
    return this.#change(job, { lease_until: Date.now() + leaseMs, ...told });
  }

  async done(job: StoredJob): Promise<void> {
    await this.#change(job, { state: 'done', lease_owner: null, lease_until: null, ended_at: Date.now(), error: null });
  }

  async failed(job: StoredJob, error: string): Promise<void> {
    await this.#change(job, {
      state: 'failed',
      lease_owner: null,
      lease_until: null,
      ended_at: Date.now(),
      error: error.slice(0, 8000),
    });
  }

  async retry(job: StoredJob, runAt: number, error: string): Promise<void> {
    await this.#change(job, {
      state: 'waiting',
      lease_owner: null,
      lease_until: null,
      run_at: runAt,
      error: error.slice(0, 8000),
    });
  }

  /** Gives a job back that was not finished; the attempt does not count. */
  async giveBack(job: StoredJob): Promise<void> {
    await this.#change(job, {
      state: 'waiting',
      lease_owner: null,
      lease_until: null,
      run_at: Date.now(),
      attempts: job.attempts - 1,
    });
  }

  async #change(job: StoredJob, values: Record<string, unknown>): Promise<boolean> {
    return this.#database.write(async () => {
      const changed = await this.#database
        .knex()('job')
        .where({ id: job.id, state: 'running', lease_owner: this.#owner, attempts: job.attempts })
        .update(values);
      return changed > 0;
    });
  }

  /** Deletes ended jobs of long ago, some thousand at once; gives whether more of them may be left. */
  async prune(keepMs: number): Promise<boolean> {
    let isMore = false;
    for (const [state, before] of [
      ['done', Date.now() - keepMs],
      ['failed', Date.now() - keepMs * 30],
    ] as const) {
      const ids = await this.#database
        .knex()('job')
        .where({ state })
        .andWhere('ended_at', '<', before)
        .limit(prunedAtOnce)
        .pluck<number[]>('id');
      // one that failed may have been given another chance since
      if (ids.length > 0)
        await this.#database.write(
          async () => void (await this.#database.knex()('job').whereIn('id', ids).where({ state }).delete()),
        );
      isMore ||= ids.length === prunedAtOnce;
    }
    return isMore;
  }
}

const keyOf = (name: string, key: string) => createHash('sha256').update(`${name}\n${key}`).digest('hex');
