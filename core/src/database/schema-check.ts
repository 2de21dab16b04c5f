import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { Logger } from '@mortise/plugin-sdk';
import type { KernelDatabase, MigrationSource } from '../contracts.js';
import { createDatabase, databaseSettings, type DatabaseSettings } from './index.js';
import { namesIn } from './table-guard.js';

/** A table or column that an applied migration made and that is missing. */
interface SchemaProblem {
  readonly owner: string;
  readonly text: string;
  /** None of the tables of its migrations is left: deleting the records of them loses nothing, and mends it. */
  readonly isForgettable: boolean;
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Table → its columns. */
type Columns = ReadonlyMap<string, ReadonlySet<string>>;

interface Row {
  readonly owner: string;
  readonly name: string;
}

/**
 * Runs the migrations on a database that is thrown away, and compares: each table that an applied migration makes must be
 * there, and, where none is pending, each of its columns. Search indexes differ between engines and are left out.
 */
export async function findSchemaProblems(
  database: KernelDatabase,
  sources: readonly MigrationSource[],
  only?: ReadonlySet<string>,
): Promise<SchemaProblem[]> {
  const knex = database.knex();
  if (!(await knex.schema.hasTable('migration'))) return [];
  const rows = await knex('migration').select<Row[]>('owner', 'name');
  if (only && !rows.some(({ owner }) => only.has(owner))) return [];
  const known = await database.knownMigrations(sources);
  const expected = await expectedTables(sources, expectedMigrations(known, sources, rows));
  const real = await columnsOf(knex, database.engine);
  const problems: SchemaProblem[] = [];
  for (const owner of new Set(sources.map((one) => one.owner))) {
    if (only && !only.has(owner)) continue;
    const applied = new Set(rows.filter((row) => row.owner === owner).map((row) => row.name));
    if (applied.size === 0) continue;
    const names = known.filter((one) => one.startsWith(`${owner}/`)).map((one) => one.slice(owner.length + 1));
    const pending = names.filter((name) => !applied.has(name));
    const texts = [...missingColumns(expected, real, owner, applied, pending.length === 0)];
    const skipped = pending.find((name) => names.some((later) => later > name && applied.has(later)));
    if (skipped !== undefined && sources.every((one) => one.owner !== owner || !one.isBuiltIn))
      texts.push(`the migration ${owner}/${skipped} is not applied, but later ones of ${owner} are`);
    if (texts.length === 0) continue;
    const isGone = [...expected.made].every(([table, maker]) => maker.owner !== owner || !real.has(table));
    for (const text of texts) problems.push({ owner, text, isForgettable: isGone });
  }
  return problems;
}

function* missingColumns(
  { made, columns }: Expected,
  real: Columns,
  owner: string,
  applied: ReadonlySet<string>,
  isComplete: boolean,
): Iterable<string> {
  for (const [table, maker] of made) {
    if (maker.owner !== owner || !applied.has(maker.name)) continue;
    const there = real.get(table);
    if (!there) yield `the table ${table}, which the migration ${owner}/${maker.name} made, is missing`;
    else if (isComplete)
      for (const column of columns.get(table)!)
        if (!there.has(column)) yield `the column ${column} of the table ${table} of ${owner} is missing`;
  }
}

/** Forgets that anything of the plugin was applied. */
export const forgetMigrations = (database: KernelDatabase, owner: string): Promise<void> =>
  database.write(async () => {
    await database.knex()('migration').where({ owner }).delete();
    await database.knex()('migration_step').where('migration', 'like', `${owner}/%`).delete();
  });

/** The tables that all migrations of `sources` leave behind, or none when one of them fails. */
export async function tablesMadeBy(sources: readonly MigrationSource[]): Promise<Iterable<string>> {
  try {
    return (await expectedTables(sources)).made.keys();
  } catch {
    return [];
  }
}

interface Expected {
  /** Which migration made a table that there is in the end. */
  readonly made: ReadonlyMap<string, Row>;
  readonly columns: Columns;
}

/**
 * All migrations of built-in plugins, and those of others up to the last that was applied: what a plugin from outside would
 * do next says nothing about the tables that are there, and may fail.
 */
function expectedMigrations(
  known: readonly string[],
  sources: readonly MigrationSource[],
  applied: readonly Row[],
): ReadonlySet<string> {
  const builtIn = new Set(sources.filter((one) => one.isBuiltIn).map((one) => one.owner));
  return new Set(
    known.filter((name) => {
      const slash = name.lastIndexOf('/');
      const owner = name.slice(0, slash);
      return builtIn.has(owner) || applied.some((row) => row.owner === owner && row.name >= name.slice(slash + 1));
    }),
  );
}

async function expectedTables(
  sources: readonly MigrationSource[],
  migrations?: ReadonlySet<string>,
): Promise<Expected> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-tables-'));
  const settings = databaseSettings.validate({ DB_TYPE: 'sqlite3', PATH: join(folder, 'tables.db') })
    .value as DatabaseSettings;
  const database = await createDatabase({ settings, workDir: folder, log: silent });
  try {
    await database.migrate(sources, migrations);
    const knex = database.knex();
    const columns = await columnsOf(knex, 'sqlite');
    const made = new Map<string, Row>();
    for (const row of await knex('migration').select<(Row & { tables: string })[]>('owner', 'name', 'tables'))
      for (const table of namesIn(row.tables)) if (columns.has(table)) made.set(table, row);
    return { made, columns };
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function columnsOf(knex: Knex, engine: 'sqlite' | 'mysql'): Promise<Columns> {
  const columnsByTable = new Map<string, Set<string>>();
  const add = (table: string, column: string) => {
    const known = columnsByTable.get(table);
    if (known) known.add(column);
    else columnsByTable.set(table, new Set([column]));
  };
  if (engine === 'mysql') {
    const [rows] = (await knex.raw(
      'select table_name as tab, column_name as col from information_schema.columns where table_schema = database()',
    )) as [{ tab: string; col: string }[]];
    for (const { tab, col } of rows) add(tab, col);
    return columnsByTable;
  }
  const rows = (await knex.raw(
    "select m.name as tab, m.sql as sql, p.name as col from sqlite_master m, pragma_table_info(m.name) p where m.type = 'table'",
  )) as { tab: string; sql: string; col: string }[];
  const virtual = rows.filter(({ sql }) => /^create virtual table/i.test(sql)).map(({ tab }) => tab);
  for (const { tab, col } of rows)
    if (!tab.startsWith('sqlite_') && !virtual.some((name) => tab === name || tab.startsWith(`${name}_`)))
      add(tab, col);
  return columnsByTable;
}
