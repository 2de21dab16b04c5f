import { AsyncResource } from 'node:async_hooks';
import type { Knex } from './knex.js';
import { openTransaction, type OpenTransaction, type Transactions } from './transactions.js';

interface Member {
  readonly open: OpenTransaction;
  /** In the context of whoever asked. */
  run(): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** It is to run by itself. */
  part(): void;
}

/** What {@link JointWrites.run} gives to whoever has to run alone. */
export const alone = Symbol('alone');

const maxMembers = 16;
/** Nobody waits longer for the group before, in milliseconds: its connection may have gone silent. */
const maxWaitMs = 10_000;

/**
 * Write transactions that may run side by side in one: while a group is stored, those of the same name that come gather for
 * the next. What they ask for at the same moment is one message to the server, and they share what is locked and the
 * commit. Where one of them fails, nothing is stored, and each runs again alone.
 */
export class JointWrites {
  readonly #transactions: Transactions;
  readonly #transaction: <T>(work: (knex: Knex) => Promise<T>) => Promise<T>;
  /** By name, those that wait while a group of theirs is stored. */
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
  run<T>(name: string, work: () => PromiseLike<T>): Promise<{ result: T; open: OpenTransaction } | typeof alone> {
    return new Promise((resolve, reject) => {
      const open = openTransaction();
      const member: Member = {
        open,
        run: AsyncResource.bind(() => this.#transactions.run(open, async () => work())),
        resolve: (result) => resolve({ result: result as T, open }),
        reject,
        part: () => resolve(alone),
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
      const late = setTimeout(() => this.#partAll(name, waiting), this.#waitMs);
      await this.#runSome(waiting.splice(0, maxMembers));
      clearTimeout(late);
    }
    this.#partAll(name, waiting);
  }

  /** Nobody waits here any more; who comes now begins anew. */
  #partAll(name: string, waiting: Member[]): void {
    if (this.#waiting.get(name) === waiting) this.#waiting.delete(name);
    for (const one of waiting.splice(0)) one.part();
  }

  async #runSome(members: readonly Member[]): Promise<void> {
    if (members.length === 1) return members[0]!.part();
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
      // nobody knows whether it was committed when the connection broke
      const isUnknown = isWritten && (error as { fatal?: unknown }).fatal === true;
      for (const { open, part, reject } of members) {
        open.done = true;
        if (isUnknown) reject(error);
        else part();
      }
    } finally {
      group.done = true;
    }
  }
}
