import { AsyncLocalStorage } from 'node:async_hooks';
import { isAbsolute, join } from 'node:path';
import type { Knex } from 'knex';
import type { Model, ModelClass, QueryBuilderType } from 'objection';
import { Problem, type Logger, type OutsideState, type RowStatements, type WriteOptions } from '@mortise/plugin-sdk';
import type { KernelDatabase, MigrationSource, StatementAnswer, WatchMigration } from '../contracts.js';
import type { Engine, EngineDeps, PoolState, QueryWatch } from './engine.js';
import { ungrouped, GroupCommit } from './group-commit.js';
import { knownMigrations, migrate, newerMigrations, migrationOwners, pendingMigrations, revert } from './migrate.js';
import type { DatabaseSettings } from './settings.js';
import { CachedRowStatements } from './row-statements.js';
import { openSqlite } from './sqlite.js';
import { sweepVersions } from './commit-counters.js';
import { countsOf, Statements } from './statements.js';
import { openTransaction, Transactions, type OpenTransaction } from './transactions.js';
import { ReadTracker, TableSet, Versions, type ReadSources, type Sources } from './versions.js';

export * from './settings.js';

/** A write is tried again for so long at most, in milliseconds: whoever asked for it has gone by then. */
const maxRetryMs = 30_000;
/** Waiting or writing longer than this leaves a line in the log, in milliseconds. */
const slowMs = 2000;

interface DatabaseOptions {
  readonly settings: Readonly<DatabaseSettings>;
  /** PATH is relative to it. */
  readonly workDir: string;
  readonly log: Logger;
  readonly watch?: QueryWatch;
}

/** Opens the database; the caller runs `migrate` and, at the end, `close`. */
export async function createDatabase({ settings, workDir, log, watch }: DatabaseOptions): Promise<KernelDatabase> {
  const deps: EngineDeps = {
    settings,
    log,
    watch,
    transactions: new Transactions(),
    statements: new Statements(),
    versions: new Versions(),
    reads: new ReadTracker(),
  };
  if (settings.DB_TYPE === 'sqlite3') {
    const file = isAbsolute(settings.PATH) ? settings.PATH : join(workDir, settings.PATH);
    return new ManagedDatabase(openSqlite(file, deps), deps);
  }
  const { openMysql } = await import('./mysql.js');
  return new ManagedDatabase(await openMysql(deps), deps);
}

class ManagedDatabase implements KernelDatabase {
  readonly engine: 'sqlite' | 'mysql';
  readonly rows: RowStatements = new CachedRowStatements(this);
  readonly #engine: Engine;
  readonly #transactions: Transactions;
  readonly #versions: Versions;
  readonly #reads: ReadTracker;
  /** The replica that is read from, within `readOnReplica`. */
  readonly #replica: AsyncLocalStorage<Knex> | undefined;
  readonly #attempts: number;
  readonly #groupCommit: GroupCommit;
  readonly #log: Logger;

  constructor(engine: Engine, { transactions, versions, reads, settings, log }: EngineDeps) {
    this.engine = engine.name;
    this.#engine = engine;
    this.#transactions = transactions;
    this.#groupCommit = new GroupCommit(transactions, (work) => engine.transaction(work));
    this.#versions = versions;
    this.#reads = reads;
    this.#replica = engine.replicas && new AsyncLocalStorage();
    this.#attempts = settings.DB_RETRIES;
    this.#log = log;
  }

  query<M extends Model>(model: ModelClass<M>): QueryBuilderType<M> {
    return model.query(this.knex()) as unknown as QueryBuilderType<M>;
  }

  knex(): Knex {
    return this.#transactions.current()?.knex ?? this.#replica?.getStore() ?? this.#engine.reader;
  }

  async readOnReplica<T>(work: () => Promise<T>): Promise<T> {
    const { replicas } = this.#engine;
    if (!replicas || !this.#replica || this.inTransaction() || this.#replica.getStore()) return work();
    const replica = await replicas.pick();
    if (!replica) return work();
    try {
      return await this.#replica.run(replica, work);
    } catch (error) {
      if (Problem.is(error)) throw error;
      // the replica, or what it was asked: the primary knows which
      replicas.failed(replica, error);
      return work();
    }
  }

  statement(sql: string, values: readonly unknown[]): Promise<StatementAnswer> {
    return this.#engine.statement(this.knex(), sql, values);
  }

  pipelined(sql: string, values: readonly unknown[]): Promise<void> {
    return this.#engine.pipelined(this.knex(), sql, values);
  }

  inTransaction(): boolean {
    return this.#transactions.current() !== undefined;
  }

  async write<T>(work: () => PromiseLike<T>, { coalesceKey }: WriteOptions = {}): Promise<T> {
    if (this.#transactions.current()) return work();
    const asked = Date.now();
    // SQLite stores what comes at once by one commit anyway
    if (coalesceKey !== undefined && this.engine === 'mysql') {
      const done = await this.#groupCommit.run(coalesceKey, () => this.#whole(work));
      if (done !== ungrouped) {
        await this.#committed(done.open, asked, {});
        return done.result;
      }
    }
    for (let attempt = 1; ; attempt++) {
      const open = openTransaction();
      const begun = Date.now();
      try {
        const result = await this.#transactions.run(open, () =>
          this.#engine.transaction(async (knex) => {
            this.#noteWait('a write waited long for others', begun);
            open.knex = knex;
            return this.#whole(work);
          }),
        );
        open.done = true;
        await this.#committed(open, asked, { attempts: attempt });
        return result;
      } catch (error) {
        open.done = true;
        const isLate = Date.now() - asked > maxRetryMs;
        if (attempt >= this.#attempts || isLate || !this.#engine.isRetryable(error)) {
          this.#noteWait('a write was given up', asked, { attempts: attempt, error });
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 5 * 2 ** attempt)));
      }
    }
  }

  /** With what was left for its end; that may leave something too. */
  async #whole<T>(work: () => PromiseLike<T>): Promise<T> {
    const result = await work();
    const tasks = this.#transactions.current()?.beforeCommit ?? [];
    for (let task = tasks.shift(); task; task = tasks.shift()) await task();
    return result;
  }

  /** Who waits for a lock of others, or holds one up, is found in the log. */
  #noteWait(what: string, since: number, fields: Readonly<Record<string, unknown>> = {}): void {
    const ms = Date.now() - since;
    if (ms > slowMs) this.#log.warn(what, { event: 'database.wait', ms, ...fields });
  }

  beforeCommit(work: () => void | Promise<void>): void {
    const open = this.#transactions.current();
    if (!open) throw new Error('no transaction is open: call this inside database.write');
    open.beforeCommit.push(work);
  }

  afterCommit(work: () => void | Promise<void>): void {
    const open = this.#transactions.current();
    if (open) open.afterCommit.push(work);
    else void this.#runAfter(work);
  }

  async #committed(open: OpenTransaction, asked: number, fields: Readonly<Record<string, unknown>>): Promise<void> {
    this.#noteWait('a write took long', asked, fields);
    for (const task of open.afterCommit) await this.#runAfter(task);
  }

  /** What fails here cannot undo the commit; it is logged. */
  async #runAfter(work: () => void | Promise<void>): Promise<void> {
    try {
      await this.#transactions.outside(work);
    } catch (error) {
      this.#log.error('work after a commit failed', { event: 'database.afterCommit', error });
    }
  }

  dataVersion(tables?: readonly string[]): number | undefined {
    if (!this.#engine.isCurrent()) return undefined;
    if (!tables) return this.#versions.clock;
    return this.#versions.lastChange(this.#versions.sources([...tables, ...tables.map(countsOf)]));
  }

  syncVersions(): Promise<void> | undefined {
    return this.#engine.syncVersions();
  }

  async readFrom<T>(work: () => Promise<T>, reads = new TableSet()): Promise<{ value: T } & ReadSources> {
    const value = await this.#reads.run(reads, work);
    // Who read nothing here has its knowledge from elsewhere.
    return { value, sources: this.#versions.sources(reads.isEmpty ? undefined : reads.names), states: reads.states };
  }

  isWriting({ tables }: Sources): boolean {
    const written = this.#transactions.current()?.written;
    if (!written || written.isEmpty) return false;
    const { names } = written;
    return !names || !tables || tables.some((table) => names.has(table));
  }

  noteRead({ tables }: Sources, states?: readonly OutsideState[]): void {
    const reads = this.#reads.current();
    reads?.add(tables);
    reads?.addStates(states);
  }

  noteState(state: OutsideState): void {
    this.#reads.current()?.addStates([state]);
  }

  followReads(reads: TableSet): void {
    this.#reads.note(reads);
  }

  lastChange(sources: Sources): number {
    return this.#versions.lastChange(sources);
  }

  hasChanged(tables: Iterable<string> | undefined, since: number): boolean {
    return this.#versions.hasChanged(tables, since);
  }

  async migrate(
    sources: readonly MigrationSource[],
    only?: ReadonlySet<string>,
    watch?: WatchMigration,
  ): Promise<string[]> {
    const done = await migrate(this.#engine, (work) => this.#migration(work), sources, this.#log, only, watch);
    // also where another process has made the tables since this one began
    await this.#engine.learnSchema();
    return done;
  }

  knownMigrations(sources: readonly MigrationSource[]): Promise<string[]> {
    return Promise.resolve(knownMigrations(sources));
  }

  pendingMigrations(sources: readonly MigrationSource[]): Promise<string[]> {
    return pendingMigrations(this.#engine.reader, sources);
  }

  newerMigrations(sources: readonly MigrationSource[]): Promise<string | undefined> {
    return newerMigrations(this.#engine.reader, sources);
  }

  async revert(source: MigrationSource, others: readonly MigrationSource[] = []): Promise<string[]> {
    const undone = await revert(this.#engine, (work) => this.#migration(work), source, this.#log, others);
    await this.#engine.learnSchema();
    return undone;
  }

  migrationOwners(): Promise<string[]> {
    return migrationOwners(this.#engine.reader);
  }

  async #migration<T>(work: (knex: Knex) => Promise<T>): Promise<T> {
    const open = openTransaction();
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

  sweep(): Promise<void> {
    return sweepVersions(this);
  }

  pools(): readonly PoolState[] {
    return this.#engine.pools();
  }

  async ping(): Promise<void> {
    await this.#engine.reader.raw('select 1');
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}
