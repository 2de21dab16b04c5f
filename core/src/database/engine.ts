import type { Knex } from 'knex';
import type { Logger } from '@mortise/plugin-sdk';
import type { DatabaseSettings } from './settings.js';

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

/** What differs between SQLite and MySQL. */
export interface Engine {
  readonly name: 'sqlite' | 'mysql';
  /** Cannot write. */
  readonly reader: Knex;
  /** One attempt: begins, gives the handle to `work`, commits or rolls back. */
  transaction<T>(work: (knex: Knex) => Promise<T>): Promise<T>;
  /** Is it worth trying the whole transaction again? */
  isRetryable(error: unknown): boolean;
  epoch(): number | undefined;
  /** Keeps other processes from migrating. */
  migrating<T>(work: () => Promise<T>): Promise<T>;
  /** Runs one migration, in a transaction where the engine can. */
  migration<T>(work: (knex: Knex) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
