import { isAbsolute, join } from 'node:path';
import type { Knex } from 'knex';
import type { Model, ModelClass, QueryBuilderType } from 'objection';
import type { Logger } from '@mortise/plugin-sdk';
import type { KernelDatabase, MigrationSource } from '../contracts.js';
import type { Engine, QueryWatch } from './engine.js';
import { migrate, pending } from './migrate.js';
import type { DatabaseSettings } from './settings.js';
import { openSqlite } from './sqlite.js';
import { Transactions, type OpenTransaction } from './transactions.js';

export * from './settings.js';

export interface DatabaseOptions {
  readonly settings: Readonly<DatabaseSettings>;
  /** PATH is relative to it. */
  readonly workDir: string;
  readonly log: Logger;
  readonly watch?: QueryWatch;
}

/** Opens the database; the caller runs `migrate` and, at the end, `close`. */
export async function createDatabase({ settings, workDir, log, watch }: DatabaseOptions): Promise<KernelDatabase> {
  const transactions = new Transactions();
  if (settings.DB_TYPE === 'sqlite3') {
    const file = isAbsolute(settings.PATH) ? settings.PATH : join(workDir, settings.PATH);
    return new DatabaseRoom(openSqlite(file, settings, transactions, log, watch), transactions, settings, log);
  }
  const { openMysql } = await import('./mysql.js');
  return new DatabaseRoom(await openMysql(settings, log, watch), transactions, settings, log);
}

class DatabaseRoom implements KernelDatabase {
  readonly engine: 'sqlite' | 'mysql';
  readonly #engine: Engine;
  readonly #transactions: Transactions;
  readonly #attempts: number;
  readonly #log: Logger;

  constructor(engine: Engine, transactions: Transactions, settings: Readonly<DatabaseSettings>, log: Logger) {
    this.engine = engine.name;
    this.#engine = engine;
    this.#transactions = transactions;
    this.#attempts = settings.DB_RETRIES;
    this.#log = log;
  }

  query<M extends Model>(model: ModelClass<M>): QueryBuilderType<M> {
    return model.query(this.knex()) as unknown as QueryBuilderType<M>;
  }

  knex(): Knex {
    return this.#transactions.current()?.knex ?? this.#engine.reader;
  }

  inTransaction(): boolean {
    return this.#transactions.current() !== undefined;
  }

  async write<T>(work: () => PromiseLike<T>): Promise<T> {
    if (this.#transactions.current()) return work();
    for (let attempt = 1; ; attempt++) {
      const open: OpenTransaction = { knex: undefined, done: false, afterCommit: [] };
      try {
        const result = await this.#transactions.run(open, () =>
          this.#engine.transaction(async (knex) => {
            open.knex = knex;
            return work();
          }),
        );
        open.done = true;
        for (const task of open.afterCommit) await this.#runAfter(task);
        return result;
      } catch (error) {
        open.done = true;
        if (attempt >= this.#attempts || !this.#engine.isRetryable(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 5 * 2 ** attempt)));
      }
    }
  }

  afterCommit(work: () => void | Promise<void>): void {
    const open = this.#transactions.current();
    if (open) open.afterCommit.push(work);
    else void this.#runAfter(work);
  }

  /** What fails here cannot undo the commit; it is logged. */
  async #runAfter(work: () => void | Promise<void>): Promise<void> {
    try {
      await this.#transactions.outside(work);
    } catch (error) {
      this.#log.error('work after a commit failed', { error });
    }
  }

  epoch(): number | undefined {
    return this.#engine.epoch();
  }

  migrate(sources: readonly MigrationSource[]): Promise<string[]> {
    return migrate(this.#engine, (work) => this.#migration(work), sources, this.#log);
  }

  pending(sources: readonly MigrationSource[]): Promise<string[]> {
    return pending(this.#engine.reader, sources);
  }

  async #migration<T>(work: (knex: Knex) => Promise<T>): Promise<T> {
    const open: OpenTransaction = { knex: undefined, done: false, afterCommit: [] };
    try {
      return await this.#transactions.run(open, () =>
        this.#engine.migration((knex) => {
          open.knex = knex;
          return work(knex);
        }),
      );
    } finally {
      open.done = true;
    }
  }

  async ping(): Promise<void> {
    await this.#engine.reader.raw('select 1');
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}
