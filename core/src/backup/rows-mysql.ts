import { createConnection as connectForStreams, type RowDataPacket } from 'mysql2';
import { createConnection, type Connection } from 'mysql2/promise';
import { mysqlAddress } from '../database/mysql.js';
import type { DatabaseSettings } from '../database/settings.js';
import { brokenText, kindOf, type Column, type RowSource, type RowTarget, type Table } from './tables.js';

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;

type Ask = (sql: string, values?: readonly unknown[]) => Promise<RowDataPacket[]>;

/** A slow disk on either side is no reason to give up, in milliseconds; a server that stands still is. */
const idleMs = 3_600_000;

const options = (settings: Readonly<DatabaseSettings>) => ({
  ...mysqlAddress(settings, idleMs),
  database: settings.NAME,
  // Integers that a number cannot hold come as text; times as they stand; JSON as text.
  supportBigNumbers: true,
  dateStrings: true,
  jsonStrings: true,
});

const session = [
  'set names utf8mb4',
  "set session sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00'",
  'set session net_write_timeout = 3600, net_read_timeout = 3600, wait_timeout = 28800',
];

interface ColumnRow extends RowDataPacket {
  t: string;
  c: string;
  type: string;
  extra: string;
}

async function tablesOf(ask: Ask): Promise<Table[]> {
  const columns = (await ask(
    `select c.table_name as t, c.column_name as c, c.column_type as type, c.extra as extra
     from information_schema.columns c join information_schema.tables t
       on t.table_schema = c.table_schema and t.table_name = c.table_name
     where c.table_schema = database() and t.table_type = 'BASE TABLE' order by c.table_name, c.ordinal_position`,
  )) as ColumnRow[];
  const keys = await ask(
    `select table_name as t, column_name as c, constraint_name as k, referenced_table_name as r
     from information_schema.key_column_usage where table_schema = database() order by table_name, ordinal_position`,
  );
  const tables = new Map<string, { name: string; columns: Column[]; primaryKey: string[]; references: string[] }>();
  for (const { t, c, type, extra } of columns) {
    const table = tables.get(t) ?? { name: t, columns: [], primaryKey: [], references: [] };
    tables.set(t, table);
    if (!/GENERATED/i.test(extra) || /DEFAULT_GENERATED/i.test(extra))
      table.columns.push({ name: c, kind: kindOf(type) });
  }
  for (const { t, c, k, r } of keys) {
    if (k === 'PRIMARY') tables.get(t)?.primaryKey.push(c as string);
    if (r && r !== t) tables.get(t)?.references.push(r as string);
  }
  return [...tables.values()];
}

async function brokenReferences(ask: Ask): Promise<string[]> {
  const keys = await ask(
    `select table_name as t, column_name as c, referenced_table_name as r, referenced_column_name as rc
     from information_schema.key_column_usage where table_schema = database() and referenced_table_name is not null`,
  );
  const broken: string[] = [];
  for (const key of keys) {
    const [t, c, r, rc] = [key.t, key.c, key.r, key.rc].map((name) => quoted(String(name)));
    const [row] = await ask(
      `select count(*) as n from ${t} a left join ${r} b on a.${c} = b.${rc} where a.${c} is not null and b.${rc} is null`,
    );
    if (Number(row!.n)) broken.push(brokenText(String(key.t), String(key.r), Number(row!.n)));
  }
  return broken;
}

/** A connection of its own with a consistent snapshot; rows are streamed. */
export async function openMysqlSource(settings: Readonly<DatabaseSettings>): Promise<RowSource> {
  const connection = connectForStreams(options(settings));
  const ask: Ask = async (sql, values = []) => (await connection.promise().query<RowDataPacket[]>(sql, [...values]))[0];
  for (const statement of session) await ask(statement);
  await ask('set session transaction isolation level repeatable read');
  await ask('start transaction with consistent snapshot, read only');
  return {
    engine: 'mysql',
    tables: () => tablesOf(ask),
    async *rows(table, columns = table.columns.map((column) => column.name)) {
      const order = table.primaryKey.length ? ` order by ${table.primaryKey.map(quoted).join(', ')}` : '';
      const sql = `select ${columns.map(quoted).join(', ')} from ${quoted(table.name)}${order}`;
      yield* connection.query({ sql, rowsAsArray: true }).stream({ highWaterMark: 200 }) as AsyncIterable<unknown[]>;
    },
    async sequence({ name }) {
      // as the table says it: the statistics of MySQL 8 may be a day old
      const [row] = await ask(`show create table ${quoted(name)}`);
      const next = /\bAUTO_INCREMENT=(\d+)/.exec(String(row?.['Create Table'] ?? ''))?.[1];
      return next === undefined ? undefined : Number(next);
    },
    brokenReferences: () => brokenReferences(ask),
    async close() {
      connection.destroy();
    },
  };
}

/** Commits now and then: a cluster bounds the size of one transaction. What fails is cleared. */
export async function openMysqlTarget(settings: Readonly<DatabaseSettings>): Promise<RowTarget> {
  const connection: Connection = await createConnection(options(settings));
  const ask: Ask = async (sql, values = []) => (await connection.query<RowDataPacket[]>(sql, [...values]))[0];
  for (const statement of [...session, 'set session foreign_key_checks = 0, autocommit = 0']) await ask(statement);
  let open = 0;
  let touched: readonly Table[] = [];
  const clear = async (tables: readonly Table[]) => {
    for (const { name } of tables) await ask(`delete from ${quoted(name)}`);
    await ask('commit');
  };
  return {
    tables: async () => (touched = await tablesOf(ask)),
    isEmpty: async ({ name }) => (await ask(`select 1 from ${quoted(name)} limit 1`)).length === 0,
    clear,
    async insert(table, columns, rows) {
      const names = columns.map((column) => quoted(column.name)).join(', ');
      const values = rows.map((row) => row.map((value) => (typeof value === 'bigint' ? String(value) : value)));
      await ask(`insert into ${quoted(table.name)} (${names}) values ?`, [values]);
      open += rows.length;
      if (open < 20_000) return;
      open = 0;
      await ask('commit');
    },
    async setSequence({ name }, next) {
      await ask(`alter table ${quoted(name)} auto_increment = ${Math.max(1, Math.floor(next))}`);
    },
    brokenReferences: () => brokenReferences(ask),
    async end(how) {
      try {
        if (how === 'keep') await ask('commit');
        else {
          await ask('rollback');
          await clear(touched.filter(({ name }) => name !== 'migration'));
        }
      } finally {
        connection.destroy();
      }
    },
  };
}
