import type BetterSqlite3 from 'better-sqlite3';
import { openFile } from '../database/sqlite-library.js';
import { brokenText, kindOf, type Column, type RowSource, type RowTarget, type Table } from './tables.js';

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Tables with rows of their own: virtual tables and what belongs to them are made from others. */
function tablesOf(file: BetterSqlite3.Database): Table[] {
  const names = file
    .prepare(
      "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'",
    )
    .pluck()
    .all() as string[];
  return names.map((name) => {
    // hidden: 2 and 3 are generated columns
    const columns = file.prepare('select name, type, pk, hidden from pragma_table_xinfo(?)').all(name) as {
      name: string;
      type: string;
      pk: number | bigint;
      hidden: number | bigint;
    }[];
    const references = file.prepare('select distinct "table" from pragma_foreign_key_list(?)').pluck().all(name);
    return {
      name,
      columns: columns
        .filter(({ hidden }) => Number(hidden) === 0)
        .map(({ name, type }) => ({ name, kind: kindOf(type) })),
      primaryKey: columns
        .filter(({ pk }) => Number(pk) > 0)
        .sort((a, b) => Number(a.pk) - Number(b.pk))
        .map((column) => column.name),
      references: (references as string[]).filter((one) => one !== name),
    };
  });
}

/** In bounded memory, however many there are: by the two tables. */
function brokenReferences(file: BetterSqlite3.Database): string[] {
  const broken = file
    .prepare('select "table", parent, count(*) from pragma_foreign_key_check group by 1, 2')
    .raw()
    .all();
  return (broken as [string, string, number | bigint][]).map(([table, parent, count]) =>
    brokenText(table, parent, count),
  );
}

/** A connection of its own, whose open transaction keeps its view of the write-ahead log. */
export function openSqliteSource(path: string): RowSource {
  const file = openFile(path, { readonly: true, timeout: 20_000 });
  file.defaultSafeIntegers(true);
  file.exec('begin');
  // the view is taken with the first read
  file.prepare('select count(*) from sqlite_master').get();
  const hasSequences = () => file.prepare("select 1 from sqlite_master where name = 'sqlite_sequence'").get();
  return {
    engine: 'sqlite',
    tables: async () => tablesOf(file),
    async *rows(table, columns = table.columns.map((column) => column.name)) {
      const order = table.primaryKey.length ? ` order by ${table.primaryKey.map(quoted).join(', ')}` : '';
      yield* file
        .prepare(`select ${columns.map(quoted).join(', ')} from ${quoted(table.name)}${order}`)
        .raw()
        .iterate() as Iterable<unknown[]>;
    },
    async sequence({ name }) {
      if (!hasSequences()) return undefined;
      const last = file.prepare('select seq from sqlite_sequence where name = ?').pluck().get(name);
      return last === undefined ? undefined : Number(last) + 1;
    },
    brokenReferences: async () => brokenReferences(file),
    async close() {
      file.exec('commit');
      file.close();
    },
  };
}

/** One transaction for everything, so that a restore that fails leaves nothing. */
export function openSqliteTarget(path: string): RowTarget {
  const file = openFile(path, { timeout: 20_000 });
  file.pragma('foreign_keys = OFF');
  file.exec('begin immediate');
  return {
    tables: async () => tablesOf(file),
    isEmpty: async ({ name }) => file.prepare(`select 1 from ${quoted(name)} limit 1`).get() === undefined,
    async clear(tables) {
      for (const { name } of tables) file.exec(`delete from ${quoted(name)}`);
    },
    async insert(table, columns, rows) {
      const names = columns.map((column: Column) => quoted(column.name)).join(', ');
      const placeholders = columns.map(() => '?').join(', ');
      const statement = file.prepare(`insert into ${quoted(table.name)} (${names}) values (${placeholders})`);
      for (const row of rows) statement.run(...row);
    },
    async setSequence({ name }, next) {
      if (file.prepare('select 1 from sqlite_sequence where name = ?').get(name))
        file.prepare('update sqlite_sequence set seq = ? where name = ?').run(next - 1, name);
      else file.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, next - 1);
    },
    brokenReferences: async () => brokenReferences(file),
    async end(how) {
      if (how === 'keep') rebuildIndexes(file);
      if (file.inTransaction) file.exec(how === 'keep' ? 'commit' : 'rollback');
      file.close();
    },
  };
}

/** Full-text indexes over tables are not in back-ups; they are made again from the rows. */
function rebuildIndexes(file: BetterSqlite3.Database): void {
  const found = file
    .prepare("select name, sql from sqlite_master where sql like 'create virtual table%using fts5%'")
    .all();
  for (const { name, sql } of found as { name: string; sql: string }[])
    if (/\bcontent\s*=\s*['"]?\w/i.test(sql))
      file.exec(`insert into ${quoted(name)} (${quoted(name)}) values ('rebuild')`);
}
