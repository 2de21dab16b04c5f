import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';

/** A write transaction, carried by the async context of the work inside it. */
export interface OpenTransaction {
  knex: Knex | undefined;
  done: boolean;
  readonly afterCommit: (() => void | Promise<void>)[];
}

/** The open transaction of the calling context. Work that outlives its transaction sees none. */
export class Transactions {
  readonly #context = new AsyncLocalStorage<OpenTransaction | undefined>();

  current(): OpenTransaction | undefined {
    const open = this.#context.getStore();
    return open && !open.done ? open : undefined;
  }

  run<T>(transaction: OpenTransaction, work: () => Promise<T>): Promise<T> {
    return this.#context.run(transaction, work);
  }

  outside<T>(work: () => T): T {
    return this.#context.run(undefined, work);
  }
}
