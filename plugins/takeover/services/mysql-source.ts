import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { Invalid } from '@mortise/plugin-sdk';
import { hostAddress } from './host-address.js';
import type { SourceConnection } from './source-database.js';
import type { SourceSettings } from './source-settings.js';

const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

export async function openMysqlSource(settings: SourceSettings): Promise<SourceConnection> {
  const text = (key: string) => settings.text('database', key) ?? '';
  const address = hostAddress(text('HOST') || '127.0.0.1:3306', 3306);
  const ssl = text('SSL_MODE').toLowerCase();
  const connection = await createConnection({
    ...('socket' in address ? { socketPath: address.socket } : address),
    ...(['true', 'skip-verify'].includes(ssl) && { ssl: { rejectUnauthorized: ssl === 'true' } }),
    user: text('USER'),
    password: text('PASSWD'),
    database: text('NAME') || 'gitea',
    supportBigNumbers: true,
    dateStrings: true,
    jsonStrings: true,
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw Invalid(`The database of ${settings.file} cannot be reached: ${reason}.`);
  });
  await connection.query('set names utf8mb4');
  await connection.query("set session wait_timeout = 28800, time_zone = '+00:00'");
  await connection.query('set session transaction isolation level repeatable read');
  await connection.query('start transaction with consistent snapshot, read only');
  return {
    quoted,
    query: async (sql, values) => (await connection.query<RowDataPacket[]>(sql, [...values]))[0],
    async tables() {
      const [rows] = await connection.query<RowDataPacket[]>(
        'select table_name as t, column_name as c from information_schema.columns where table_schema = database() order by ordinal_position',
      );
      const found = new Map<string, string[]>();
      for (const { t, c } of rows) {
        const columns = found.get(String(t)) ?? [];
        columns.push(String(c));
        found.set(String(t), columns);
      }
      return found;
    },
    async lastCounted(table) {
      const [[row]] = await connection.query<RowDataPacket[]>(`show create table ${quoted(table)}`);
      return Number(/\bAUTO_INCREMENT=(\d+)/.exec(String(row?.['Create Table'] ?? ''))?.[1] ?? 1) - 1;
    },
    close: () => connection.end(),
  };
}
