import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type HeldLock, type Locks, type Logger } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { isGone, leaseOwner } from '../leases.js';

interface LocksOptions {
  readonly database: KernelDatabase;
  readonly log: Logger;
  /** How long a lock outlives a process that died with it; default 30 s. */
  readonly leaseMs?: number;
}

/** Rows of processes that were killed stay so long after their lease ended, in milliseconds. */
const retentionMs = 3_600_000;
/** Waiting longer than this leaves a line in the log, in milliseconds. */
const slowMs = 2000;

export interface ManagedLocks extends Locks {
  /** Drops the locks of processes that were killed. Only reads when there are none. */
  sweep(): Promise<void>;
}

export function createLocks(options: LocksOptions): ManagedLocks {
  return new DatabaseLocks(options);
}

const unavailable = (name: string) => new Problem('unavailable', `"${name}" is in use. Try again.`);

interface LeaseRenewal {
  renew(): Promise<boolean>;
  isHeld(): Promise<boolean>;
  readonly log: Logger;
}

/** Renews a lock until its end, and notices when it is lost. */
class Held implements HeldLock {
  readonly #lost = new AbortController();
  readonly #renewal: NodeJS.Timeout;
  #expiry: NodeJS.Timeout;
  #isOver = false;

  constructor(
    private readonly name: string,
    private readonly leaseMs: number,
    private readonly renewal: LeaseRenewal,
  ) {
    this.#expiry = this.#expire();
    this.#renewal = setInterval(() => void this.#renew(), leaseMs / 3);
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  async check(): Promise<void> {
    if (!this.signal.aborted && !(await this.renewal.isHeld())) this.#lose();
    if (this.signal.aborted) throw lost(this.name);
  }

  end(): void {
    this.#isOver = true;
    clearInterval(this.#renewal);
    clearTimeout(this.#expiry);
  }

  async #renew(): Promise<void> {
    // the lease counts from before the answer came
    const next = this.#expire();
    try {
      const isHeld = await this.renewal.renew();
      clearTimeout(this.#expiry);
      this.#expiry = next;
      if (this.#isOver) clearTimeout(next);
      else if (!isHeld) this.#lose();
    } catch (error) {
      clearTimeout(next);
      this.renewal.log.warn('could not renew a lock', { event: 'lock.renew', lock: this.name, error });
    }
  }

  #expire(): NodeJS.Timeout {
    return setTimeout(() => this.#lose(), this.leaseMs);
  }

  #lose(): void {
    if (this.#isOver || this.signal.aborted) return;
    this.renewal.log.error('lost a lock while it was held', { event: 'lock.lost', lock: this.name });
    this.#lost.abort(lost(this.name));
  }
}

const lost = (name: string) => new Problem('unavailable', `"${name}" was taken over in the meantime. Try again.`);

/**
 * A row for each lock that is held, with a lease that is renewed; the lock of a process of this machine that has ended is
 * free at once. Who waits in this process waits in memory first.
 */
class DatabaseLocks implements ManagedLocks {
  readonly #database: KernelDatabase;
  readonly #log: Logger;
  readonly #leaseMs: number;
  readonly #queues = new Map<string, Promise<void>>();

  constructor({ database, log, leaseMs = 30_000 }: LocksOptions) {
    this.#database = database;
    this.#log = log;
    this.#leaseMs = leaseMs;
  }

  async hold<T>(
    name: string,
    work: (lock: HeldLock) => Promise<T>,
    { waitMs = 30_000 }: { waitMs?: number } = {},
  ): Promise<T> {
    if (this.#database.inTransaction()) throw new Error(`lock "${name}" must be taken before the transaction begins`);
    const deadline = Date.now() + waitMs;
    const leave = await this.#enter(name, deadline);
    try {
      const owner = leaseOwner();
      await this.#acquire(name, owner, deadline);
      const held = new Held(name, this.#leaseMs, {
        renew: () => this.#renew(name, owner),
        isHeld: () => this.#isHeld(name, owner),
        log: this.#log,
      });
      try {
        return await work(held);
      } finally {
        held.end();
        await this.#release(name, owner);
      }
    } finally {
      leave();
    }
  }

  async sweep(): Promise<void> {
    const left = () =>
      this.#database
        .knex()('lock')
        .where('held_until', '<', Date.now() - retentionMs);
    if (await left().first('name')) await this.#database.write(() => left().delete());
  }

  /** Waits for this process's turn; gives what lets the next one in. */
  async #enter(name: string, deadline: number): Promise<() => void> {
    const before = this.#queues.get(name);
    let open!: () => void;
    const released = new Promise<void>((resolve) => (open = resolve));
    const last = (before ?? Promise.resolve()).then(() => released);
    this.#queues.set(name, last);
    const leave = () => {
      open();
      if (this.#queues.get(name) === last) this.#queues.delete(name);
    };
    if (!before) return leave;
    const timeout = new AbortController();
    const inTime = await Promise.race([
      before.then(() => true),
      sleep(Math.max(0, deadline - Date.now()), false, { signal: timeout.signal }).catch(() => false),
    ]);
    timeout.abort();
    if (inTime) return leave;
    // Gives the place up; `last` still waits for those before.
    open();
    void last.then(() => this.#queues.get(name) === last && this.#queues.delete(name));
    throw unavailable(name);
  }

  async #acquire(name: string, owner: string, deadline: number): Promise<void> {
    const asked = Date.now();
    for (let pause = 5; ; pause = Math.min(200, pause * 1.6)) {
      const isOurs = await this.#take(name, owner);
      const isOver = isOurs || Date.now() >= deadline;
      const ms = Date.now() - asked;
      if (isOver && ms > slowMs)
        this.#log.warn('waited long for a lock', { event: 'lock.wait', lock: name, ms, held: isOurs });
      if (isOurs) return;
      if (isOver) throw unavailable(name);
      await sleep(Math.min(pause * (0.5 + Math.random()), Math.max(1, deadline - Date.now())));
    }
  }

  async #take(name: string, owner: string): Promise<boolean> {
    const holder = await this.#database
      .knex()('lock')
      .where({ name })
      .first<{ owner: string; held_until: number } | undefined>('owner', 'held_until');
    const gone = holder && isGone(holder.owner) ? holder.owner : undefined;
    if (holder && holder.held_until > Date.now() && gone === undefined) return false;
    return this.#database.write(async () => {
      const locks = () => this.#database.knex()('lock');
      const now = Date.now();
      const values = { owner, held_until: now + this.#leaseMs };
      const free = locks()
        .where({ name })
        .andWhere((either) => {
          void either.where('held_until', '<', now);
          if (gone !== undefined) void either.orWhere({ owner: gone });
        });
      if ((await free.update(values)) > 0) return true;
      await locks()
        .insert({ name, ...values })
        .onConflict('name')
        .ignore();
      return (await locks().where({ name, owner }).first('name')) !== undefined;
    });
  }

  /** False: it is another's, or nobody's. */
  async #renew(name: string, owner: string): Promise<boolean> {
    const changed = await this.#database.write(() =>
      this.#database
        .knex()('lock')
        .where({ name, owner })
        .update({ held_until: Date.now() + this.#leaseMs }),
    );
    return changed > 0;
  }

  /**
   * Inside a transaction nobody else takes the row until its end. There it is changed, not only read with a lock: locks are
   * known to one node of a database cluster, but of two that changed a row at once only one commits.
   */
  async #isHeld(name: string, owner: string): Promise<boolean> {
    const row = this.#database.knex()('lock').where({ name, owner });
    if (!this.#database.inTransaction() || this.#database.engine !== 'mysql')
      return (await row.first('name')) !== undefined;
    const held_until = this.#database.knex().raw('greatest(held_until + 1, ?)', [Date.now() + this.#leaseMs]);
    return (await row.update({ held_until })) > 0;
  }

  async #release(name: string, owner: string): Promise<void> {
    try {
      await this.#database.write(() => this.#database.knex()('lock').where({ name, owner }).delete());
    } catch (error) {
      // The lease ends by itself; the work is done.
      this.#log.warn('could not release a lock', { event: 'lock.release', lock: name, error });
    }
  }
}
