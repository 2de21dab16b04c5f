import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type SqliteDatabase from 'better-sqlite3';
import { codeOf } from './driver-error.js';
import { queryWatch, type Engine, type EngineDeps } from './engine.js';
import { knexModule, type Knex } from './knex.js';
import type { DatabaseSettings } from './settings.js';
import { SqliteClient } from './sqlite-client.js';
import { GroupedWrites, Queue } from './sqlite-grouped-writes.js';
import { openFile } from './sqlite-library.js';
import { readableCopy, type ReadableCopy } from './sqlite-read-only.js';
import { isReadOnly } from '../storage/failures.js';
import { SqliteVersions } from './sqlite-versions.js';

const isBusy = (error: unknown) => codeOf(error).startsWith('SQLITE_BUSY');

function openConnections(file: string, settings: Readonly<DatabaseSettings>) {
  const copy = existsSync(file) && isReadOnly(dirname(file)) ? openCopy(file) : undefined;
  const writer = copy?.writer ?? openWriter(file, settings.SQLITE_TIMEOUT);
  if (!copy) writer.pragma('journal_mode = WAL');
  if (!copy) writer.pragma(`synchronous = ${settings.SQLITE_SYNCHRONOUS}`);
  tune(writer);
  // Waiting inside SQLite would stop the whole process: `beginWaiting` does it instead.
  writer.pragma('busy_timeout = 0');
  const readerConnection = openFile(copy?.file ?? file, { readonly: true, timeout: 5000 });
  tune(readerConnection);
  readerConnection.pragma('query_only = ON');
  return { copy, writer, readerConnection };
}

/** Begins a write transaction; while another process has one, it asks again and again. */
async function beginWaiting(writer: SqliteDatabase.Database, timeoutMs: number): Promise<void> {
  const start = Date.now();
  for (let attempt = 0; ; attempt++) {
    try {
      writer.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() - start > timeoutMs) throw error;
      await sleep(Math.random() * Math.min(20, 1 + attempt * 2));
    }
  }
}

/**
 * SQLite in WAL mode: one connection that writes, read-only ones beside it. `synchronous` NORMAL hands each commit to
 * the operating system, so a killed process loses nothing; only a power cut can cost the last commits (never
 * consistency). FULL flushes the disk for each commit.
 */
export function openSqlite(file: string, deps: EngineDeps): Engine {
  const { transactions, statements, reads, settings, log, watch } = deps;
  const seen = queryWatch(settings, log, watch);
  const { copy, writer, readerConnection } = openConnections(file, settings);
  const versions = new SqliteVersions(writer, readerConnection, deps);

  const writerClient = new SqliteClient(
    writer,
    () => {
      const open = transactions.current();
      if (!open || open !== writes.holder) throw new Error('a write outside of database.write');
      // A full disk makes SQLite roll back by itself; what follows must not commit on its own.
      if (!writer.inTransaction) throw new Error('the transaction was rolled back');
    },
    (sql) => writes.holder?.written.add(statements.written(sql)),
    seen,
  );
  // Savepoints when something inside asks knex for a transaction.
  writerClient.transacting = true;
  const writeKnex = makeKnex(writerClient);
  const readerClient = new SqliteClient(
    readerConnection,
    (sql) => reads.current()?.add(statements.read(sql)),
    () => undefined,
    seen,
  );
  const reader = makeKnex(readerClient);

  const queue = new Queue();

  const writes = new GroupedWrites({
    writer,
    knex: writeKnex,
    queue,
    begin: () => beginWaiting(writer, settings.SQLITE_TIMEOUT),
    current: () => transactions.current(),
    count: (tables) => versions.count(tables),
    committed: (tables) => versions.committed(tables),
  });

  return {
    name: 'sqlite',
    reader,
    statement: async (knex, sql, values) => (knex.client as SqliteClient).answer(sql, values),
    pipelined: async (knex, sql, values) => void (knex.client as SqliteClient).answer(sql, values),
    transaction: (work) => writes.run(work),
    isRetryable: isBusy,
    isCurrent: () => versions.look(),
    syncVersions: () => undefined,
    learnSchema: async () => versions.learnSchema(),
    // What fails is rolled back, tables included.
    inSteps: (_knex, _migration, work) => work(),
    // BEGIN IMMEDIATE of each migration keeps others out, and each looks again whether it is still pending.
    migrating: (work) => work(),
    migration: (work) =>
      queue.run(async () => {
        writes.finish();
        // Changing a table means rebuilding it: foreign keys are checked once at the end instead of on the way.
        writer.pragma('foreign_keys = OFF');
        try {
          return await writes.alone(work, () => {
            const broken = writer.pragma('foreign_key_check') as unknown[];
            if (broken.length > 0) throw new Error(`the migration breaks ${broken.length} foreign keys`);
          });
        } finally {
          writer.pragma('foreign_keys = ON');
          writerClient.forgetStatements();
          readerClient.forgetStatements();
        }
      }),
    pools: () => [
      { pool: 'read', max: 1, size: 1, used: 0, waiting: 0 },
      { pool: 'write', max: 1, size: 1, used: Math.min(1, queue.length), waiting: Math.max(0, queue.length - 1) },
    ],
    async close() {
      await queue.run(async () => writes.finish());
      readerConnection.close();
      // The last connection that can write moves the log into the file.
      writer.close();
      copy?.remove();
    },
  };
}

/** Reads it once, so that what the copy of its log holds is known to the connection; it refuses to write. */
function openCopy(file: string): ReadableCopy & { readonly writer: SqliteDatabase.Database } {
  const copy = readableCopy(file);
  openFile(copy.file, {}).close();
  return { ...copy, writer: openFile(copy.file, { readonly: true }) };
}

function openWriter(file: string, timeout: number): SqliteDatabase.Database {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const isNew = !existsSync(file);
    const writer = openFile(file, { timeout });
    // It holds password hashes; the files beside it get the same mode.
    if (isNew) chmodSync(file, 0o600);
    return writer;
  } catch (error) {
    throw new Error(
      `[database] PATH: ${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

function tune(connection: SqliteDatabase.Database): void {
  connection.pragma('foreign_keys = ON');
  connection.pragma('cache_size = -16000');
  connection.pragma('mmap_size = 268435456');
  connection.pragma('temp_store = MEMORY');
  // LIKE tells case apart as it does on MySQL with a binary collation; searches use lower_name columns.
  connection.pragma('case_sensitive_like = ON');
}

function makeKnex(client: SqliteClient): Knex {
  // knex makes the client itself from a class; the one here has what its constructor needs.
  class Ready {
    constructor() {
      return client as unknown as Ready;
    }
  }
  Object.setPrototypeOf(Ready, SqliteClient);
  Object.setPrototypeOf(Ready.prototype, SqliteClient.prototype as object);
  return knexModule({ client: Ready as unknown as typeof Knex.Client, useNullAsDefault: true });
}
