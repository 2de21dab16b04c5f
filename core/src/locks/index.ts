import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type Locks, type Logger } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';

export interface LocksOptions {
  readonly database: KernelDatabase;
  readonly log: Logger;
  /** How long a lock outlives a process that died with it; default 30 s. */
  readonly leaseMs?: number;
}

export function createLocks(options: LocksOptions): Locks {
  return new DatabaseLocks(options);
}

const unavailable = (name: string) => new Problem('unavailable', `"${name}" is in use, please try again`);

/** A row for each lock that is held, with a lease that is renewed. Who waits in this process waits in memory first. */
class DatabaseLocks implements Locks {
  readonly #database: KernelDatabase;
  readonly #log: Logger;
  readonly #leaseMs: number;
  readonly #queues = new Map<string, Promise<void>>();

  constructor({ database, log, leaseMs = 30_000 }: LocksOptions) {
    this.#database = database;
    this.#log = log;
    this.#leaseMs = leaseMs;
  }

  async hold<T>(name: string, work: () => Promise<T>, { waitMs = 30_000 }: { waitMs?: number } = {}): Promise<T> {
    if (this.#database.inTransaction()) throw new Error(`lock "${name}" must be taken before the transaction begins`);
    const deadline = Date.now() + waitMs;
    const leave = await this.#enter(name, deadline);
    try {
      const owner = randomUUID();
      await this.#acquire(name, owner, deadline);
      const renewal = setInterval(() => {
        this.#renew(name, owner).catch((error: unknown) =>
          this.#log.warn('a lock was not renewed', { lock: name, error }),
        );
      }, this.#leaseMs / 3);
      try {
        return await work();
      } finally {
        clearInterval(renewal);
        await this.#release(name, owner);
      }
    } finally {
      leave();
    }
  }

  /** Waits for this process's turn; gives what lets the next one in. */
  async #enter(name: string, deadline: number): Promise<() => void> {
    const before = this.#queues.get(name);
    let open!: () => void;
    const turn = new Promise<void>((resolve) => (open = resolve));
    const last = (before ?? Promise.resolve()).then(() => turn);
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
    for (let pause = 5; ; pause = Math.min(200, pause * 1.6)) {
      if (await this.#take(name, owner)) return;
      if (Date.now() >= deadline) throw unavailable(name);
      await sleep(Math.min(pause * (0.5 + Math.random()), Math.max(1, deadline - Date.now())));
    }
  }

  async #take(name: string, owner: string): Promise<boolean> {
    const holder = await this.#database
      .knex()('lock')
      .where({ name })
      .first<{ held_until: number } | undefined>('held_until');
    if (holder && holder.held_until > Date.now()) return false;
    return this.#database.write(async () => {
      const locks = () => this.#database.knex()('lock');
      const now = Date.now();
      const values = { owner, held_until: now + this.#leaseMs };
      if ((await locks().where({ name }).andWhere('held_until', '<', now).update(values)) > 0) return true;
      await locks()
        .insert({ name, ...values })
        .onConflict('name')
        .ignore();
      return (await locks().where({ name, owner }).first('name')) !== undefined;
    });
  }

  async #renew(name: string, owner: string): Promise<void> {
    const changed = await this.#database.write(() =>
      this.#database
        .knex()('lock')
        .where({ name, owner })
        .update({ held_until: Date.now() + this.#leaseMs }),
    );
    if (changed === 0) this.#log.error('a lock was lost while it was held', { lock: name });
  }

  async #release(name: string, owner: string): Promise<void> {
    try {
      await this.#database.write(() => this.#database.knex()('lock').where({ name, owner }).delete());
    } catch (error) {
      // The lease ends by itself; the work is done.
      this.#log.warn('a lock was not given back', { lock: name, error });
    }
  }
}
