import type { Knex } from 'knex';

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
