import type { Knex } from 'knex';
import type { Logger } from '@mortise/plugin-sdk';
import type { StatementAnswer } from '../contracts.js';
import type { DatabaseSettings } from './settings.js';
import { Statements } from './statements.js';
import type { Transactions } from './transactions.js';
import { ReadTracker, Versions } from './versions.js';

/** Is told the start of each statement; what it gives back is told the end. */
export type QueryWatch = (sql: string) => (error?: unknown) => void;

/** The watch, and the log where `LOG_SQL` asks for it; undefined: nobody wants to know. */
export function queryWatch(
  settings: Readonly<DatabaseSettings>,
  log: Logger,
  watch: QueryWatch | undefined,
): QueryWatch | undefined {
  if (!settings.LOG_SQL) return watch;
  return (sql) => {
    log.debug(sql);
    return watch?.(sql) ?? (() => undefined);
  };
}

/** What an engine shares with the module around it. */
export interface EngineDeps {
  readonly settings: Readonly<DatabaseSettings>;
  readonly log: Logger;
  readonly watch?: QueryWatch;
  readonly transactions: Transactions;
  readonly statements: Statements;
  readonly versions: Versions;
  readonly reads: ReadTracker;
}

/** Connections of one kind, at this moment. */
export interface PoolState {
  /** `read` or `write`. */
  readonly pool: 'read' | 'write';
  /** How many there may be. */
  readonly max: number;
  /** How many are open. */
  readonly size: number;
  readonly used: number;
  /** Work that waits for one. */
  readonly waiting: number;
}

/** Replicas of the database. */
interface Replicas {
  /** One that has all that this process knows to be committed; undefined: none has in time. */
  pick(): Promise<Knex | undefined>;
  /** A statement failed there. */
  failed(replica: Knex, error: unknown): void;
}

/** What differs between SQLite and MySQL. */
export interface Engine {
  readonly name: 'sqlite' | 'mysql';
  /** Cannot write. */
  readonly reader: Knex;
  /** Servers that follow this one, for reads; undefined: there are none. */
  readonly replicas?: Replicas;
  /** One statement on a handle, without the query builder. */
  statement(knex: Knex, sql: string, values: readonly unknown[]): Promise<StatementAnswer>;
  /** In a transaction: sends a statement without waiting for its result; its error comes with the commit at the latest. */
  pipelined(knex: Knex, sql: string, values: readonly unknown[]): Promise<void>;
  /** One attempt: begins, gives the handle to `work`, commits or rolls back. */
  transaction<T>(work: (knex: Knex) => Promise<T>): Promise<T>;
  /** Is it worth trying the whole transaction again? */
  isRetryable(error: unknown): boolean;
  /** Are the versions those of now? Learns, where that takes no waiting, what other processes committed. */
  isCurrent(): boolean;
  /** Learns what was committed anywhere before the call; undefined: there is nothing to wait for. Never rejects. */
  syncVersions(): Promise<void> | undefined;
  /** Reads which tables there are; after each change of the schema. */
  learnSchema(): Promise<void>;
  /** Keeps other processes from migrating. */
  migrating<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` of a migration inside {@link migration} so that it can be run again after it failed halfway. */
  inSteps(
    knex: Knex,
    migration: string,
    work: () => Promise<void>,
    /** Throws for a statement that must not be run. Where a transaction takes everything back, nobody is asked. */
    check?: (sql: string) => void,
  ): Promise<void>;
  /** Runs one migration, in a transaction where the engine can. */
  migration<T>(work: (knex: Knex) => Promise<T>): Promise<T>;
  /** Without asking the database. */
  pools(): readonly PoolState[];
  close(): Promise<void>;
}
