import pg from 'pg';
import { Invalid } from '@mortise/plugin-sdk';
import { hostAddress } from './host-address.js';
import type { RawRow, SourceConnection } from './source-database.js';
import type { SourceSettings } from './source-settings.js';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Numbers of types in `pg_type`: https://www.postgresql.org/docs/current/catalog-pg-type.html. */
const int8 = 20;
const bytea = 17;
const boolean = 16;
const numeric: ReadonlySet<number> = new Set([int8, 21, 23, 700, 701]);

/** As the other databases give them; JSON and times as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser(type: number) {
    if (numeric.has(type)) return Number;
    if (type === boolean) return (text: string) => text === 't';
    if (type === bytea) return (text: string) => Buffer.from(text.replace(/^\\x/, ''), 'hex');
    return String;
  },
};

/** `?` as PostgreSQL numbers them. A number is one of 64 bits, whatever the column has. */
function numbered(sql: string, values: readonly (number | string)[]): string {
  let at = 0;
  return sql.replaceAll(/"(?:[^"]|"")*"|\?/g, (text) => {
    if (text !== '?') return text;
    const value = values[at++];
    return `$${at}${typeof value === 'number' ? '::bigint' : ''}`;
  });
}

/** All that is read comes from one snapshot. */
export async function openPostgresSource(settings: SourceSettings): Promise<SourceConnection> {
  const text = (key: string) => settings.text('database', key) ?? '';
  const address = hostAddress(text('HOST') || '127.0.0.1:5432', 5432);
  const ssl = text('SSL_MODE').toLowerCase();
  const client = new pg.Client({
    ...('socket' in address ? { host: address.socket } : address),
    ...(['require', 'verify-ca', 'verify-full'].includes(ssl) && { ssl: { rejectUnauthorized: ssl !== 'require' } }),
    user: text('USER'),
    password: text('PASSWD'),
    database: text('NAME') || 'gitea',
    types,
  });
  // the query that runs tells of a connection that breaks
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (text('SCHEMA')) await client.query(`set search_path to ${quoted(text('SCHEMA'))}`);
    await client.query('begin transaction isolation level repeatable read, read only');
  } catch (error) {
    await client.end().catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw Invalid(`The database of ${settings.file} cannot be reached: ${reason}.`);
  }
  return {
    quoted,
    query: async (sql, values) => (await client.query<RawRow>(numbered(sql, values), [...values])).rows,
    async tables() {
      const { rows } = await client.query<{ t: string; c: string }>(
        'select table_name as t, column_name as c from information_schema.columns where table_schema = current_schema() order by ordinal_position',
      );
      const tables = new Map<string, string[]>();
      for (const { t, c } of rows) tables.set(t, [...(tables.get(t) ?? []), c]);
      return tables;
    },
    async lastCounted(table) {
      // an error would end the transaction: the view, which versions before 10 lack, gives none where rights are missing
      const { rows: views } = await client.query("select 1 from pg_catalog.pg_class where relname = 'pg_sequences'");
      if (views.length === 0) return 0;
      const { rows } = await client.query<{ n: unknown }>(
        "select last_value as n from pg_sequences where format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence($1, 'id')",
        [quoted(table)],
      );
      return Number(rows[0]?.n ?? 0);
    },
    close: () => client.end(),
  };
}
