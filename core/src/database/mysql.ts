import type { Connection, RowDataPacket } from 'mysql2';
import { createConnection } from 'mysql2/promise';
import { splitList, type Logger } from '@mortise/plugin-sdk';
import { retryWhileUnavailable, reasonOf } from '../unavailable.js';
import { versionTable } from './commit-counters.js';
import { codeOf } from './driver-error.js';
import { queryWatch, type Engine, type EngineDeps, type PoolState, type QueryWatch } from './engine.js';
import { knexModule, type Knex } from './knex.js';
import {
  MysqlStatements,
  ReadingClient,
  readStatement,
  WritingClient,
  type StatementListeners,
} from './mysql-client.js';
import { readMysqlSchema } from './mysql-schema.js';
import { inSteps } from './mysql-steps.js';
import { endIfTimedOut, limitOf, limitStatements, openSocket, openWatchedSocket } from './mysql-socket.js';
import { withMigrationRow, withServerLock } from './mysql-migration-lock.js';
import { MysqlReplicas } from './mysql-replicas.js';
import { MysqlVersions } from './mysql-versions.js';
import type { DatabaseSettings } from './settings.js';
import { TableSet } from './versions.js';

/** Deadlock, lock wait timeout, a record changed since it was read, a certification conflict or a move in a cluster. */
const retryable = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD', 'ER_UNKNOWN_COM_ERROR']);
const sqlMode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

/** `idleMs`: how long nothing may come from the server while something is asked; undefined: statements have limits. */
export function mysqlAddress(settings: Readonly<DatabaseSettings>, idleMs?: number) {
  const { HOST, USER, PASSWD, SSL_MODE, CONNECT_TIMEOUT } = settings;
  const endpoint = HOST.startsWith('/') ? { socketPath: HOST } : hostAndPort(HOST);
  const ssl = SSL_MODE === 'false' ? {} : { ssl: { rejectUnauthorized: SSL_MODE === 'true' } };
  const stream = () => (idleMs === undefined ? openSocket(endpoint) : openWatchedSocket(endpoint, idleMs));
  return { ...endpoint, ...ssl, stream, user: USER, password: PASSWD, connectTimeout: CONNECT_TIMEOUT };
}

function hostAndPort(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: Number(port ?? 3306) };
}

/**
 * Finds a collation that compares bytes and counts trailing blanks, as SQLite does, and sees to it that the database
 * exists and that new tables get the collation.
 */
async function prepare(settings: Readonly<DatabaseSettings>): Promise<{ collation: string; isCluster: boolean }> {
  const connection = await createConnection(mysqlAddress(settings, settings.QUERY_TIMEOUT));
  try {
    const name = connection.escapeId(settings.NAME);
    const wanted = settings.CHARSET_COLLATION
      ? [settings.CHARSET_COLLATION]
      : ['utf8mb4_0900_bin', 'utf8mb4_nopad_bin', 'utf8mb4_bin'];
    const [known] = await connection.query<RowDataPacket[]>('show collation where collation in (?)', [wanted]);
    const names = known.map((row) => String(row.Collation));
    const collation = wanted.find((one) => names.includes(one));
    if (!collation) throw new Error(`[database] CHARSET_COLLATION: the server does not know ${wanted.join(', ')}`);
    const present = async () => {
      const [rows] = await connection.query<RowDataPacket[]>(
        'select default_collation_name as collation from information_schema.schemata where schema_name = ?',
        [settings.NAME],
      );
      return rows[0] ? String(rows[0].collation) : undefined;
    };
    const before = await present();
    if (before === undefined)
      await connection.query(`create database if not exists ${name} character set utf8mb4 collate ${collation}`);
    else if (before !== collation)
      await connection.query(`alter database ${name} character set utf8mb4 collate ${collation}`);
    const [cluster] = await connection.query<RowDataPacket[]>("show variables like 'wsrep_on'");
    return { collation, isCluster: cluster[0]?.Value === 'ON' };
  } finally {
    connection.destroy();
  }
}

async function whileUnavailable<T>(
  settings: Readonly<DatabaseSettings>,
  log: Logger,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await retryWhileUnavailable('the database server', { attempts: settings.DB_RETRIES }, log, work);
  } catch (error) {
    throw new Error(`[database] HOST ${settings.HOST}: ${reasonOf(error)}`, { cause: error });
  }
}

interface PoolQuery {
  readonly sql: string;
  readonly __knexQueryUid: string;
}

function watchPool(pool: Knex, watch: QueryWatch): void {
  const open = new Map<string, (error?: unknown) => void>();
  const end = (uid: string, error?: unknown) => {
    open.get(uid)?.(error);
    open.delete(uid);
  };
  pool.on('query', ({ sql, __knexQueryUid: uid }: PoolQuery) => open.set(uid, watch(sql)));
  pool.on('query-response', (_rows: unknown, { __knexQueryUid: uid }: PoolQuery) => end(uid));
  pool.on('query-error', (error: unknown, { __knexQueryUid: uid }: PoolQuery) => end(uid, error));
}

interface PoolOptions {
  readonly client: Knex.Config['client'];
  readonly max: number;
  /** Statements that begin each session. */
  readonly session: readonly string[];
  readonly seen: QueryWatch | undefined;
}

/** No `charset` for knex: it would name it in each new table, and so undo the database's collation. */
function openPool(settings: Readonly<DatabaseSettings>, log: Logger, options: PoolOptions): Knex {
  const { client, max, session, seen } = options;
  const afterCreate = (connection: Connection, done: (error: Error | null, connection: Connection) => void) => {
    limitStatements(connection, settings.CONNECT_TIMEOUT);
    const ready = () => {
      limitStatements(connection, settings.QUERY_TIMEOUT);
      done(null, connection);
    };
    void runAll(connection, session).then(ready, (error: Error) => done(error, connection));
  };
  const pool = knexModule({
    client,
    connection: {
      ...mysqlAddress(settings),
      database: settings.NAME,
      // Numbers above 2^53 do not occur: ids and times stay below.
      supportBigNumbers: false,
      decimalNumbers: true,
      dateStrings: true,
      // their text comes from code, with each value as a literal
      multipleStatements: client === WritingClient,
    } as Knex.MySql2ConnectionConfig,
    compileSqlOnError: false,
    log: {
      warn: (message: unknown) => log.warn(String(message), { event: 'database.driver' }),
      error: (message: unknown) => log.error(String(message), { event: 'database.driver' }),
      debug: (message: unknown) => log.debug(String(message)),
      deprecate: (message: unknown) => log.debug(String(message)),
    },
    acquireConnectionTimeout: settings.QUERY_TIMEOUT,
    pool: { min: 0, max, idleTimeoutMillis: 60_000, afterCreate },
  });
  // migrations look there for the kind of database
  (pool.client as { config: Knex.Config }).config.client = 'mysql2';
  if (seen) watchPool(pool, seen);
  return pool;
}

/** What sessions of readers and of writers begin with. */
function sessionsOf(collation: string, isCluster: boolean) {
  const common = [
    `set names utf8mb4 collate ${collation}`,
    `set session sql_mode = '${sqlMode}', time_zone = '+00:00'`,
  ];
  // A node of a cluster begins what it is asked when it has applied what was committed at the others before: 1 is for
  // reading, 2 and 4 for changing. In a transaction only the first statement waits.
  const waiting = (kinds: number) => (isCluster ? [`set session wsrep_sync_wait = ${kinds}`] : []);
  return {
    reading: [...common, ...waiting(1), 'set session transaction read only'],
    replica: [...common, 'set session transaction read only'],
    // READ COMMITTED: after waiting for a lock a transaction sees what the other one left, as on SQLite.
    writing: [
      ...common,
      ...waiting(7),
      'set session transaction isolation level read committed',
      'set session autocommit = 0',
      'set session innodb_lock_wait_timeout = 20',
    ],
  };
}

/** Two pools: sessions that read only, and sessions for write transactions. */
export async function openMysql(deps: EngineDeps): Promise<Engine> {
  const { settings, log, watch, statements, versions, reads } = deps;
  const seen = queryWatch(settings, log, watch);
  const { collation, isCluster } = await whileUnavailable(settings, log, () => prepare(settings));
  const sessions = sessionsOf(collation, isCluster);
  const connections = settings.MAX_OPEN_CONNS || 20;
  const open = (client: Knex.Config['client'], session: readonly string[], max: number) =>
    openPool(settings, log, { client, session, max, seen });
  const reader = open(ReadingClient, sessions.reading, Math.max(2, Math.ceil(connections * 0.6)));
  reader.on('query', ({ sql }: PoolQuery) => reads.current()?.add(statements.read(sql)));
  const writer = open(WritingClient, sessions.writing, Math.max(2, Math.floor(connections * 0.4)));
  await whileUnavailable(settings, log, async () => void (await reader.raw('select 1')));

  const direct = new WeakMap<Knex, MysqlStatements>();
  const latest = new MysqlVersions({ ...mysqlAddress(settings), database: settings.NAME }, sessions.reading, deps);
  const replicas = openReplicas(
    settings,
    { commits: latest.commits, log, maxDelayMs: settings.REPLICA_MAX_DELAY },
    (HOST) => {
      const pool = openPool({ ...settings, HOST }, log, {
        client: ReadingClient,
        session: sessions.replica,
        max: Math.max(2, Math.ceil(connections * 0.6)),
        seen,
      });
      pool.on('query', ({ sql }: PoolQuery) => reads.current()?.add(statements.read(sql)));
      return pool;
    },
  );
  const learnSchema = async () => {
    const facts = await readMysqlSchema(reader, settings.NAME);
    statements.learn(facts);
    if (facts.tables.includes(versionTable)) latest.ready();
    versions.moved(undefined);
  };
  await learnSchema();
  const transaction = countedTransactions(writer, { deps, latest, direct, seen });

  return {
    name: 'mysql',
    reader,
    async statement(knex, sql, values) {
      const open = direct.get(knex);
      if (open) return open.run(sql, values);
      reads.current()?.add(statements.read(sql));
      return readStatement(knex.client as Knex.Client, sql, values, seen);
    },
    async pipelined(knex, sql, values) {
      const open = direct.get(knex);
      if (!open) throw new Error(`outside of a transaction: ${sql}`);
      open.pipeline(sql, values);
    },
    transaction: (work) => transaction(work),
    isRetryable: (error) => retryable.has(codeOf(error)),
    isCurrent: () => latest.isCurrent(),
    syncVersions: () => latest.sync(),
    learnSchema,
    migrating: (work) => migratingAlone(settings, isCluster, work),
    inSteps,
    // a change of a large table takes as long as it takes
    migration: (work) => transaction(work, false),
    pools: () => [poolState('read', reader), poolState('write', writer)],
    replicas,
    async close() {
      latest.close();
      await Promise.all([reader.destroy(), writer.destroy(), replicas?.close()]);
    },
  };
}

function openReplicas(
  { REPLICA_HOSTS }: Readonly<DatabaseSettings>,
  deps: ConstructorParameters<typeof MysqlReplicas>[1],
  open: (host: string) => Knex,
): MysqlReplicas | undefined {
  const hosts = splitList(REPLICA_HOSTS);
  if (hosts.length === 0) return undefined;
  return new MysqlReplicas(
    hosts.map((host) => ({ host, pool: open(host) })),
    deps,
  );
}

interface CountedDeps {
  readonly deps: Pick<EngineDeps, 'transactions' | 'statements' | 'versions'>;
  readonly latest: MysqlVersions;
  readonly direct: WeakMap<Knex, MysqlStatements>;
  readonly seen: QueryWatch | undefined;
}

/** Transactions that tell other processes with their commit which tables they wrote. */
function countedTransactions(writer: Knex, { deps, latest, direct, seen }: CountedDeps) {
  const { transactions, statements, versions } = deps;
  return async <T>(work: (knex: Knex) => Promise<T>, isBounded = true): Promise<T> => {
    const written = transactions.current()?.written ?? new TableSet();
    const note = (sql: string, rows: number | undefined) => {
      const tables = statements.written(sql);
      // Changes of the schema touch no rows. Rows that were found count, changed or not.
      if (tables === undefined || rows !== 0) written.add(tables);
    };
    const slot = latest.commits.take();
    let isCounted = false;
    try {
      const result = await once(writer, { changed: note, seen, statements: direct, isBounded }, work, (statements) => {
        if (written.isEmpty || !latest.isReady) return;
        isCounted = true;
        latest.count(statements, slot, written.names);
      });
      if (isCounted) slot.committed();
      latest.commits.giveBack(slot);
      return result;
    } catch (error) {
      // Whether it was committed may not be known, nor whether its row is still locked; but what the server refused, it
      // has taken back.
      if (!isCounted || retryable.has(codeOf(error))) latest.commits.giveBack(slot);
      throw error;
    } finally {
      if (!written.isEmpty) versions.moved(written.names);
    }
  };
}

async function migratingAlone<T>(
  settings: Readonly<DatabaseSettings>,
  isCluster: boolean,
  work: () => Promise<T>,
): Promise<T> {
  const connection = await createConnection({ ...mysqlAddress(settings), database: settings.NAME });
  try {
    return await withServerLock(connection, settings.NAME, () =>
      isCluster ? withMigrationRow(connection, work) : work(),
    );
  } finally {
    connection.destroy();
  }
}

interface ConnectionPool {
  readonly max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

function poolState(name: PoolState['pool'], knex: Knex): PoolState {
  const { pool } = knex.client as { pool: ConnectionPool };
  const used = pool.numUsed();
  return { pool: name, max: pool.max, size: used + pool.numFree(), used, waiting: pool.numPendingAcquires() };
}

interface WriteQuery extends PoolQuery {
  readonly response?: readonly { readonly affectedRows?: number }[];
}

interface ConnectionState extends Pick<StatementListeners, 'changed' | 'seen'> {
  /** Do its statements have to end in time? */
  readonly isBounded: boolean;
  /** Gets the statements of each transaction, by its handle. */
  readonly statements: WeakMap<Knex, MysqlStatements>;
}

/**
 * A deadlock rolls the whole transaction back at the server. Work that catches it and goes on must not commit its second
 * half: what it does after that is rolled back here, and all of it is tried again.
 */
function once<T>(
  writer: Knex,
  { changed, seen, statements, isBounded }: ConnectionState,
  work: (knex: Knex) => Promise<T>,
  beforeCommit: (statements: MysqlStatements) => void,
): Promise<T> {
  return writer.transaction(async (transaction) => {
    let lost: unknown;
    const failed = (error: unknown, isLost: boolean) => {
      if (isLost || retryable.has(codeOf(error))) lost ??= error;
    };
    transaction.on('query-error', (error: unknown) => failed(error, false));
    const note = (_rows: unknown, { sql, response }: WriteQuery) => {
      changed(sql, response?.[0]?.affectedRows);
    };
    transaction.on('query-response', note);
    const connection = (await (transaction.client as Knex.Client).acquireConnection()) as Connection;
    const { timeout } = limitOf(connection);
    if (!isBounded) limitStatements(connection, 0);
    const own = new MysqlStatements(connection, { changed, seen, failed });
    statements.set(transaction, own);
    try {
      const result = await work(transaction);
      if (lost) throw lost;
      transaction.off('query-response', note);
      beforeCommit(own);
      await own.commit();
      return result;
    } finally {
      own.end();
      limitStatements(connection, timeout ?? 0);
    }
  });
}

async function runAll(connection: Connection, statements: readonly string[]): Promise<void> {
  for (const sql of statements) {
    await new Promise<void>((resolve, reject) =>
      connection.query({ sql, ...limitOf(connection) }, (error) => {
        if (!error) return resolve();
        endIfTimedOut(connection, error);
        reject(error);
      }),
    );
  }
}
