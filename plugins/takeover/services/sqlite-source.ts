import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { Invalid } from '@mortise/plugin-sdk';
import type { RawRow, SourceConnection } from './source-database.js';

/** As the kernel chooses it: decision 0008. */
const library = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-13' : 'better-sqlite3';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** An open read transaction keeps its view of the write-ahead log, also while the other server writes. */
export async function openSqliteSource(path: string): Promise<SourceConnection> {
  if (!existsSync(path)) throw Invalid(`There is no database ${path}.`);
  const Database = createRequire(import.meta.url)(library) as typeof BetterSqlite3;
  const file = new Database(path, { readonly: true, timeout: 20_000 });
  try {
    file.exec('begin');
    // the view is taken with the first read
    file.prepare('select count(*) from sqlite_master').get();
  } catch (error) {
    file.close();
    throw Invalid(`The database ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  return {
    quoted,
    query: async (sql, values) => file.prepare(sql).all(...values) as RawRow[],
    async tables() {
      const names = file.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
      const columns = file.prepare('select name from pragma_table_info(?)').pluck();
      return new Map(names.map((name) => [name, columns.all(name) as string[]]));
    },
    async lastCounted(table) {
      if (!file.prepare("select 1 from sqlite_master where name = 'sqlite_sequence'").get()) return 0;
      return Number(file.prepare('select seq from sqlite_sequence where name = ?').pluck().get(table) ?? 0);
    },
    async close() {
      file.close();
    },
  };
}
