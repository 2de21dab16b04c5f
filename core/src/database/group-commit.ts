import { AsyncResource } from 'node:async_hooks';
import type { Knex } from './knex.js';
import { openTransaction, type OpenTransaction, type Transactions } from './transactions.js';

interface Member {
  readonly open: OpenTransaction;
  /** In the async context of its caller. */
  run(): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** Tells the caller to run it in a transaction of its own. */
  detach(): void;
}

/** Given by {@link GroupCommit.run} where the work has to run in a transaction of its own. */
export const ungrouped = Symbol('alone');

const maxMembers = 16;
/** The longest wait for the group before, in milliseconds: its connection may have gone silent. */
const maxWaitMs = 10_000;

/**
 * Runs write transactions of the same key in one: while a group is committed, the next ones gather. Statements that they
 * send at the same moment are one message to the server, and they share locks and the commit. Where one of them fails,
 * the group is rolled back and each runs again in a transaction of its own.
 */
export class GroupCommit {
  readonly #transactions: Transactions;
  readonly #transaction: <T>(work: (knex: Knex) => Promise<T>) => Promise<T>;
  /** By key, those that wait while a group is committed. */
  readonly #waiting = new Map<string, Member[]>();
  readonly #waitMs: number;

  constructor(
    transactions: Transactions,
    transaction: <T>(work: (knex: Knex) => Promise<T>) => Promise<T>,
    waitMs = maxWaitMs,
  ) {
    this.#transactions = transactions;
    this.#transaction = transaction;
    this.#waitMs = waitMs;
  }

  /** Gives the open transaction too, whose work after the commit is left to the caller. */
  run<T>(name: string, work: () => PromiseLike<T>): Promise<{ result: T; open: OpenTransaction } | typeof ungrouped> {
    return new Promise((resolve, reject) => {
      const open = openTransaction();
      const member: Member = {
        open,
        run: AsyncResource.bind(() => this.#transactions.run(open, async () => work())),
        resolve: (result) => resolve({ result: result as T, open }),
        reject,
        detach: () => resolve(ungrouped),
      };
      const waiting = this.#waiting.get(name);
      if (waiting) return void waiting.push(member);
      const members = [member];
      this.#waiting.set(name, members);
      // requests that have come already are read in this turn of the event loop
      setImmediate(() => void this.#runAll(name, members));
    });
  }

  async #runAll(name: string, waiting: Member[]): Promise<void> {
    while (waiting.length > 0) {
      const late = setTimeout(() => this.#detachAll(name, waiting), this.#waitMs);
      await this.#runGroup(waiting.splice(0, maxMembers));
      clearTimeout(late);
    }
    this.#detachAll(name, waiting);
  }

  /** The group is over; the next write of this key begins a new one. */
  #detachAll(name: string, waiting: Member[]): void {
    if (this.#waiting.get(name) === waiting) this.#waiting.delete(name);
    for (const one of waiting.splice(0)) one.detach();
  }

  async #runGroup(members: readonly Member[]): Promise<void> {
    if (members.length === 1) return members[0]!.detach();
    const group = openTransaction();
    let isWritten = false;
    try {
      const results = await this.#transactions.run(group, () =>
        this.#transaction(async (knex) => {
          for (const { open } of members) {
            open.knex = knex;
            open.written = group.written;
          }
          const ended = await Promise.allSettled(members.map((one) => one.run()));
          for (const { open } of members) open.done = true;
          const values = ended.map((one) => {
            if (one.status === 'rejected') throw one.reason;
            return one.value;
          });
          isWritten = true;
          return values;
        }),
      );
      for (const [at, { resolve }] of members.entries()) resolve(results[at]);
    } catch (error) {
      // when the connection broke it is unknown whether it was committed
      const isUnknown = isWritten && (error as { fatal?: unknown }).fatal === true;
      for (const { open, detach: part, reject } of members) {
        open.done = true;
        if (isUnknown) reject(error);
        else part();
      }
    } finally {
      group.done = true;
    }
  }
}
