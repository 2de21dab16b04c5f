/**
 * What the kernel's modules promise each other. Each module exports one `create…` function that gives the interface here;
 * `host.ts` composes them. Plugins never see this file.
 */
import type { Readable } from 'node:stream';
import type { Server, ServerInjectOptions, ServerInjectResponse } from '@hapi/hapi';
import type {
  BlobInfo,
  Broker,
  Database,
  EventContext,
  EventRef,
  Events,
  JobContext,
  JobKind,
  ScheduleOptions,
  JobOptions,
  JobRef,
  Jobs,
  Logger,
  OutsideState,
  PointReader,
  PointRef,
  Route,
  ScheduledTasks,
  Storage,
} from '@mortise/plugin-sdk';

import type { PoolState } from './database/engine.js';
import type { ReadSources, Sources, TableSet } from './database/versions.js';

/** Tags logs with the plugin, times the call and counts its errors; the error goes on. */
export type CallPlugin = <T>(owner: string, what: string, call: () => Promise<T>) => Promise<T>;

export interface Owned<T> {
  readonly owner: string;
  readonly value: T;
}

export interface MigrationSource {
  readonly owner: string;
  /** Of the plugin, or of the kernel. */
  readonly version?: string;
  /** Folder of compiled migrations. */
  readonly folder: URL;
  /** It came with Mortise: its migrations may change tables that other plugins made. */
  readonly isBuiltIn?: boolean;
}

export type WatchMigration = <T>(owner: string, name: string, work: () => Promise<T>) => Promise<T>;

/** What a statement gives. */
export interface StatementAnswer {
  /** What a query found. */
  readonly rows: readonly object[];
  /** Rows that were inserted, changed or deleted; on MySQL an upsert counts a changed one twice. */
  readonly changes: number;
  /** The id that an inserted row was given; of several rows, on MySQL the first one's. */
  readonly insertId: number;
}

export interface KernelDatabase extends Database {
  /**
   * Runs one statement as it is written, `?` for each value: on the open transaction, or else read-only. Takes a third
   * of the time of the same by {@link Database.knex}.
   */
  statement(sql: string, values: readonly unknown[]): Promise<StatementAnswer>;
  /**
   * In a transaction: queues a statement whose answer is not needed. On MySQL it is sent with the next statement, or with
   * the commit, in one message; its error is thrown there, and fails the transaction.
   */
  pipelined(sql: string, values: readonly unknown[]): Promise<void>;
  /** Runs `work` and notes from which tables it reads, in `reads` while it does. */
  readFrom<T>(work: () => Promise<T>, reads?: TableSet): Promise<{ value: T } & ReadSources>;
  /** For the `readFrom` around the caller, if there is one: something was answered that was read from these. */
  noteRead(sources: Sources, states?: readonly OutsideState[]): void;
  /** The same of something that is in no table. */
  noteState(state: OutsideState): void;
  /** Whether the open transaction has changed what may have been read there. */
  isWriting(sources: Sources): boolean;
  /** The same of what somebody else is just reading for the caller. */
  followReads(reads: TableSet): void;
  /** The version at which the tables were last changed. */
  lastChange(sources: Sources): number;
  /** Was any of the tables (undefined: any at all) changed after that version? */
  hasChanged(tables: Iterable<string> | undefined, since: number): boolean;
  /** Applies what is pending, in the order of the sources; each migration is recorded with its owner. `only`: no others than these. Gives the names applied. */
  migrate(
    sources: readonly MigrationSource[],
    only?: ReadonlySet<string>,
    /** Runs one migration; for time limits. */
    watch?: WatchMigration,
  ): Promise<string[]>;
  /** `owner/name` of all migrations of the sources. */
  knownMigrations(sources: readonly MigrationSource[]): Promise<string[]>;
  pendingMigrations(sources: readonly MigrationSource[]): Promise<string[]>;
  /** Why these versions are older than the tables; undefined: they are not. */
  newerMigrations(sources: readonly MigrationSource[]): Promise<string | undefined>;
  /** Undoes what was applied of the owner's migrations, last first, and forgets them; tables of the others stay. Gives their names. */
  revert(source: MigrationSource, others?: readonly MigrationSource[]): Promise<string[]>;
  /** Owners of the migrations that were applied. */
  migrationOwners(): Promise<string[]>;
  /** Takes away what processes that have ended left in the kernel's tables. Only reads when there is nothing. */
  sweep(): Promise<void>;
  /** Connections at this moment; asks nobody. */
  pools(): readonly PoolState[];
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface EventSubscription {
  readonly owner: string;
  readonly id: string;
  readonly event: EventRef<unknown>;
  readonly when: 'within' | 'after';
  /** Names that it had before, as `plugin/id`. */
  readonly formerly?: readonly string[];
  /** False for what need not be stored for it. */
  wants?(payload: unknown): boolean;
  /** Reads what several need at once, and gives what handles each. */
  readAhead?(payloads: readonly unknown[]): Promise<(payload: unknown) => Promise<void>>;
  handle(payload: unknown, context: EventContext): Promise<void>;
}

export interface ManagedEvents extends Events {
  subscribe(subscription: EventSubscription): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Delivers everything that waits now; for tests and one-off commands. */
  deliverAll(): Promise<void>;
}

export interface ManagedJobs extends Jobs {
  handle(
    owner: string,
    job: JobRef<unknown>,
    kind: JobKind,
    run: (payload: unknown, context: JobContext) => Promise<void>,
  ): void;
  schedule(
    owner: string,
    id: string,
    cron: string,
    job: JobRef<unknown>,
    payload: unknown,
    options?: ScheduleOptions,
  ): void;
  readonly tasks: ScheduledTasks;
  start(): Promise<void>;
  /** Lets running jobs end within the drain time, then aborts them; leases are given back. */
  stop(): Promise<void>;
  /** Runs everything due now (or at `now`) in this process; for tests. Gives how many ran. */
  runDue(now?: number): Promise<number>;
  /** Enqueues what is to be done whenever the site starts. */
  runStartTasks(): Promise<void>;
  enqueue<P>(job: JobRef<P>, payload: P, options?: JobOptions): Promise<string>;
}

export interface ManagedBroker extends Broker {
  /** Throws when messages do not reach other processes. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** What was deleted from an area while a back-up was being made. */
export interface DeletedBlobs {
  list(): AsyncIterable<BlobInfo>;
  get(key: string): Promise<Readable | undefined>;
  clear(): Promise<void>;
}

export interface ManagedStorage extends Storage {
  check(): Promise<void>;
  /** Names of the areas that hold something. */
  areas(): Promise<string[]>;
  deleted(area: string): DeletedBlobs;
  /** Folders on disks of this machine, by area; `common` is where the others lie. Stores elsewhere are left out. */
  folders(): ReadonlyMap<string, string>;
}

export interface PointBoard {
  reader<C>(ref: PointRef<C>): PointReader<C>;
}

interface HealthCheck {
  readonly owner: string;
  readonly id: string;
  check(): Promise<void>;
}

export interface ManagedHttp {
  readonly server: Server;
  /** Listens; with port 0 on a free one. Gives the address. */
  listen(): Promise<string>;
  /** Stops taking requests, lets open ones end (graceful drain). `isReplaced`: another process takes those that come. */
  stop(isReplaced?: boolean): Promise<void>;
  inject(options: ServerInjectOptions): Promise<ServerInjectResponse>;
  readonly routes: readonly Owned<Route>[];
}

export interface HttpDeps {
  readonly log: Logger;
  readonly points: PointBoard;
  readonly routes: readonly Owned<Route>[];
  readonly call: CallPlugin;
  readonly healthChecks: readonly HealthCheck[];
  /** Plugins that had errors lately or were not started, and the kind of each failure. */
  readonly failingPlugins?: () => readonly { readonly plugin: string; readonly kind: string }[];
  /** Whose fault a 500 is, and what keeps it; the log of the plugin. */
  readonly pluginErrors?: {
    responsiblePlugin(error: unknown, owner: string): string;
    request(plugin: string, route: string, error: unknown): void;
  };
  readonly islands: readonly { readonly owner: string; readonly name: string; readonly source: URL }[];
}
