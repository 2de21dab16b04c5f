import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Constructor, Model, QueryBuilderType } from 'objection';
import type { TokenCategory } from './actor.js';
import type { Language } from './language.js';
import { defineService, type EventRef, type JobRef } from './references.js';
import type { RowStatements } from './row-statements.js';
import type { Text } from './language.js';

/** Structured log, tagged with the plugin. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** More of a write transaction. */
export interface WriteOptions {
  /**
   * Writes of this process with the same key may share one transaction: such a write inserts rows and increments numbers,
   * and decides nothing by values that another of its kind may change. They share their locks. Where one of them fails,
   * each runs again in a transaction of its own, so `work` may be called twice.
   */
  readonly coalesceKey?: string;
}

/**
 * The database. Reads outside a transaction use read-only connections; writes happen in {@link Database.write} only.
 * The open transaction travels with the async context: `query` and `knex` use it by themselves. Inside a transaction
 * await nothing but SQL.
 */
export interface Database {
  readonly engine: 'sqlite' | 'mysql';
  /** A query on a model, on the open transaction or else read-only. */
  query<M extends Model>(model: Constructor<M>): QueryBuilderType<M>;
  /** Statements on rows by equal columns, for measured hot paths. */
  readonly rows: RowStatements;
  /** The current handle (open transaction or read-only) for rows without models. */
  knex(): Knex;
  /**
   * Runs reads that cost much on a replica (`[database] REPLICA_HOSTS`) that has all which this process knows to be
   * committed, and where there is none as any other. `work` only reads, and may be run twice.
   */
  readOnReplica<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` in one write transaction (joins an open one), with retry on deadlock; commits when it resolves. */
  write<T>(work: () => PromiseLike<T>, options?: WriteOptions): Promise<T>;
  /**
   * Runs at the end of the outermost transaction, as a part of it: all that it changes can be read. What throws here fails
   * the transaction. Must be called inside `write`.
   */
  beforeCommit(work: () => void | Promise<void>): void;
  /** Runs after the outermost transaction has committed; at once when none is open. */
  afterCommit(work: () => void | Promise<void>): void;
  inTransaction(): boolean;
  /**
   * A number that grows with each commit to one of these tables (absent: to any), by this or another process; what
   * others commit counts from the next turn of the event loop on SQLite, and from {@link Database.syncVersions} on MySQL.
   * Undefined: not known at the moment, and nothing may be kept on its strength.
   */
  dataVersion(tables?: readonly string[]): number | undefined;
  /**
   * Learns what was committed anywhere before the call, so that {@link Cache.query} answers with it. The kernel does so
   * before each request, job, event and broker message; work that begins otherwise, such as a connection of another
   * protocol, does it by itself. Undefined: there is nothing to wait for. Never rejects.
   */
  syncVersions(): Promise<void> | undefined;
}
export const database = defineService<Database>('core.database');

/** Events: `within` subscribers run in the emitting transaction, `after` subscribers are delivered from the outbox. */
export interface Events {
  /** Must be called inside `database.write`. Throws what a `within` subscriber throws. */
  emit<P>(event: EventRef<P>, payload: NoInfer<P>): Promise<void>;
}
export const events = defineService<Events>('core.events');

export interface JobOptions {
  /** Not before, milliseconds since 1970 UTC. */
  readonly runAt?: number;
  /** While a job with this key waits, a second one is not stored: the one that waits comes at the earlier time of both. */
  readonly uniqueKey?: string;
  /** Higher first; default 0. */
  readonly priority?: number;
  /** Whose job it is, where {@link JobKind.perGroup} keeps one from taking the place of all others. */
  readonly group?: string;
}

export interface Jobs {
  /** Stores a job; inside a transaction it becomes visible with the commit. Gives its id. */
  enqueue<P>(job: JobRef<P>, payload: NoInfer<P>, options?: JobOptions): Promise<string>;
}
export const jobs = defineService<Jobs>('core.jobs');

/** What a plugin has said to do again and again. Times are milliseconds since 1970 UTC. */
export interface ScheduledTask {
  /** In letters, digits and `_`: {@link ScheduleOptions.taskName}, or plugin and task, `git_forget_changes`. */
  readonly name: string;
  /** What it does; undefined: its name says it. */
  readonly title: Text | undefined;
  /** As declared: five fields, `@midnight`, `@every 10m`. */
  readonly schedule: string;
  readonly nextAt: number;
  /** Undefined: never yet. */
  readonly lastAt: number | undefined;
  readonly runs: number;
}

export interface ScheduledTasks {
  /** By name. */
  list(): Promise<ScheduledTask[]>;
  /** Has it done now, besides the times of its schedule; false when there is no such task. */
  run(name: string): Promise<boolean>;
}
export const scheduledTasks = defineService<ScheduledTasks>('core.scheduledTasks');

export interface BlobInfo {
  readonly key: string;
  readonly size: number;
  /** Milliseconds since 1970 UTC. */
  readonly modifiedAt: number;
}

export interface StoredBlob extends BlobInfo {
  /** Hex digests of the content. */
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
}

export interface StorageArea {
  /** Streams the content in; nothing is visible under the key before the end. Refuses over `maxBytes` (413). */
  put(
    key: string,
    content: Readable | Buffer,
    options?: { maxBytes?: number; contentType?: string },
  ): Promise<StoredBlob>;
  /** Content-addressed: stores under its SHA-256 (`ab/cd/abcd…`) and gives the key back in `key`. */
  putByHash(content: Readable | Buffer, options?: { maxBytes?: number }): Promise<StoredBlob>;
  /** NotFound when there is none. `end` is inclusive. */
  get(key: string, range?: { start: number; end?: number }): Promise<{ info: BlobInfo; stream: Readable }>;
  stat(key: string): Promise<BlobInfo | undefined>;
  delete(key: string): Promise<void>;
  list(prefix?: string): AsyncIterable<BlobInfo>;
  /** An address for direct download where the store can serve it (S3 with SERVE_DIRECT); else undefined. */
  signedUrl(key: string, options?: { seconds?: number; fileName?: string }): Promise<string | undefined>;
}

export interface Storage {
  /** An area such as `packages`, `lfs`, `attachments`, `avatars`; made on first use. */
  area(name: string): StorageArea;
}
export const storage = defineService<Storage>('core.storage');

export interface Broker {
  /** To every process, this one included; at most once; JSON. */
  publish(topic: string, message: unknown): Promise<void>;
  subscribe(topic: string, handler: (message: unknown) => void): () => void;
}
export const broker = defineService<Broker>('core.broker');

/** A lock while it is held. */
export interface HeldLock {
  /** Aborted when the lock is lost: the process stood still for too long, or the database was away. */
  readonly signal: AbortSignal;
  /**
   * `unavailable` when the lock is lost. Called inside `database.write` it makes sure that nothing is stored unless the
   * lock is still held at the commit.
   */
  check(): Promise<void>;
}

/** Locks between all processes that share the database. */
export interface Locks {
  /**
   * Runs `work` while no other process holds `name`; waits up to `waitMs` (default 30 s), else `unavailable`. A process
   * that stands still for half a minute loses its lock: long work heeds the signal, and writes are checked.
   */
  hold<T>(name: string, work: (lock: HeldLock) => Promise<T>, options?: { waitMs?: number }): Promise<T>;
}
export const locks = defineService<Locks>('core.locks');

/** Addresses and facts of this site. */
export interface Site {
  readonly name: string;
  readonly version: string;
  /** Without a trailing slash, for instance `http://localhost:3000`. */
  readonly rootUrl: string;
  /** Path of the root URL without trailing slash: empty, or `/git`. */
  readonly basePath: string;
  readonly workDir: string;
  /** `url('/a/b')` → full address. */
  url(path: string): string;
  /** `path('/a/b')` → path below the host, with the sub-path of the root URL; for links in pages. */
  path(path: string): string;
  /** A secret of this installation, derived for a purpose (HKDF); 32 bytes. */
  secret(purpose: string): Buffer;
  readonly isProduction: boolean;
  /** `[service] REQUIRE_SIGNIN_VIEW = true`: nothing is open to visitors, and restricted accounts see what was given to them. */
  readonly requiresSignIn: boolean;
}
export const site = defineService<Site>('core.site');

/** One number, or one for each set of labels. */
export type GaugeReading =
  | number
  | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

interface GaugeOptions {
  readonly labels?: readonly string[];
  /**
   * `process` (default): each process has its own, and they are added up. `site`: it is the same whoever looks (counted
   * in the database), and only one process reads it.
   */
  readonly scope?: 'process' | 'site';
}

export interface Metrics {
  counter(
    name: string,
    help: string,
    labels?: readonly string[],
  ): { inc(labels?: Record<string, string>, by?: number): void };
  histogram(
    name: string,
    help: string,
    labels?: readonly string[],
    buckets?: readonly number[],
  ): { observe(labels: Record<string, string>, value: number): void };
  /** Read whenever somebody looks; must be cheap. What cannot be read is left out of that answer. */
  gauge(name: string, help: string, read: () => GaugeReading | Promise<GaugeReading>, options?: GaugeOptions): void;
}
export const metrics = defineService<Metrics>('core.metrics');

/** Jobs of one kind. */
export interface QueueState {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
}

/** The disk below a folder; sizes in bytes. */
export interface DiskState {
  /** `work`, or an area of the storage. */
  readonly folder: string;
  readonly size: number;
  /** What the server may still write. */
  readonly free: number;
}

/** How the site is doing, for the administration. */
export interface SiteState {
  /** By name; of each state at most 20,000 jobs are looked at. */
  queues(): Promise<readonly QueueState[]>;
  disks(): Promise<readonly DiskState[]>;
  /** When `mortise backup` or `mortise dump` last ended well on this machine, in milliseconds since 1970 UTC. */
  lastBackupAt(): Promise<number | undefined>;
}
export const siteState = defineService<SiteState>('core.siteState');

/** What tokens can be good for on this site. */
export interface ApiScopes {
  /** Categories that a route of a loaded plugin asks for. */
  used(): readonly TokenCategory[];
}
export const apiScopes = defineService<ApiScopes>('core.apiScopes');

/** Where a value comes from: `code` is what tests and the command line give. */
type SettingSource = 'default' | 'file' | 'environment' | 'code';

/** One setting of the kernel or a plugin, as it holds now. */
export interface SettingState {
  /** Without brackets; empty above the first section. */
  readonly section: string;
  readonly key: string;
  /** `core`, or the name of a plugin. */
  readonly owner: string;
  readonly description: string;
  readonly type: string;
  readonly defaultText: string;
  /** As it would be written in the file; undefined for a secret. Passwords in addresses are hidden. */
  readonly value: string | undefined;
  readonly isSecret: boolean;
  /** A secret that is not empty; of anything else, whether it was written anywhere. */
  readonly isSet: boolean;
  readonly source: SettingSource;
  /** `app.ini:12`, or the name of the environment variable. */
  readonly from?: string;
}

/** The settings that hold, for the administration. */
export interface SettingList {
  /** By section, then as they were declared. */
  list(): readonly SettingState[];
  /** One of them, without describing all; undefined where no plugin declares it. */
  find(section: string, key: string): SettingState | undefined;
  /**
   * What becomes of a setting of the compatible service: "has another name here: …", "is not needed: …". Undefined where it
   * is the same here, or no setting of that service.
   */
  compatible(section: string, key: string): string | undefined;
}
export const settingList = defineService<SettingList>('core.settings');

/** The PROXY protocol, by which a proxy that passes on bytes says whose connection it is. */
export interface ProxyProtocol {
  /**
   * Takes the header off a connection that has just come, within `[server] PROXY_PROTOCOL_HEADER_TIMEOUT`; `remoteAddress`
   * and `remotePort` of the socket are then those of the client. False: it had none that holds, and is closed.
   */
  take(socket: Socket): Promise<boolean>;
}
export const proxyProtocol = defineService<ProxyProtocol>('core.proxyProtocol');

/** A language that visitors can choose. */
export interface OfferedLanguage {
  /** As in `<html lang>`: `de-DE`. */
  readonly tag: string;
  /** What its speakers call it. */
  readonly name: string;
}

/** The languages of this site (`[i18n]` and language packs). Pages get theirs by themselves; mails and jobs choose. */
export interface Languages {
  /** In the order of the settings; the first is the default. */
  offered(): readonly OfferedLanguage[];
  /** The offered language that comes nearest to a tag (`de` → `de-DE`), for instance a stored choice; else undefined. */
  find(tag: string): OfferedLanguage | undefined;
  /** The language with its texts, for {@link inLanguage}; the default for a tag that is not offered. */
  get(tag: string): Language;
  /** Runs synchronous `work` in a language: `languages.in(account.language, () => t('mail.subject'))`. */
  in<T>(tag: string, work: () => T): T;
}
export const languages = defineService<Languages>('core.languages');
