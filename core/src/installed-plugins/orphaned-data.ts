import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Composition } from '../compose.js';
import type { KernelDatabase, MigrationSource } from '../contracts.js';
import { tablesMadeBy } from '../database/schema-check.js';
import { namesIn } from '../database/table-guard.js';
import { tablesIn } from '../registry/tables.js';

interface OrphanedData {
  /** Plugins whose migrations were applied and that are not here any more. */
  readonly plugins: readonly string[];
  /** Tables that no plugin here makes, as far as its migrations tell. */
  readonly tables: readonly string[];
}

/** What plugins that are gone have left in the database. Plugins that are only off are not gone. */
export async function findOrphanedData(
  { found, plugins, leftOut }: Composition,
  database: KernelDatabase,
  sources: readonly MigrationSource[],
): Promise<OrphanedData> {
  const here = new Set([
    'core',
    ...found.map((one) => one.name),
    ...plugins.map((one) => one.definition.name),
    ...leftOut.keys(),
  ]);
  const gone = (await database.migrationOwners()).filter((owner) => !here.has(owner)).sort();
  if (gone.length === 0) return { plugins: [], tables: [] };
  const folders = [
    ...sources.map((one) => one.folder),
    ...found.map((one) => pathToFileURL(join(dirname(one.entry), 'migrations/'))),
  ];
  // Names that a migration computes are not in its text: those are known from running it.
  const known = new Set([
    'migration',
    'migration_step',
    'migration_lock',
    ...folders.flatMap((folder) => [...(tablesIn(folder) ?? [])]),
    ...(await tablesMadeBy(sources)),
    ...(await recordedTables(database, here)),
  ]);
  const tables = await tablesOf(database);
  return { plugins: gone, tables: tables.filter((name) => !known.has(name)) };
}

/** What the migrations noted as they were applied; older kernels noted nothing. */
async function recordedTables(database: KernelDatabase, owners: ReadonlySet<string>): Promise<string[]> {
  const rows = await database.knex()('migration').select<{ owner: string; tables?: string | null }[]>('*');
  return rows.flatMap(({ owner, tables }) => (owners.has(owner) ? namesIn(tables) : []));
}

async function tablesOf(database: KernelDatabase): Promise<string[]> {
  const knex = database.knex();
  if (database.engine === 'mysql') {
    const [rows] = (await knex.raw(
      "select table_name as name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE'",
    )) as [{ name: string }[]];
    return rows.map((row) => row.name).sort();
  }
  // A search index (`create virtual table`) keeps tables of its own behind it.
  const rows = await knex('sqlite_master')
    .where('type', 'table')
    .select<{ name: string; sql: string | null }[]>('name', 'sql');
  const indexes = rows.filter(({ sql }) => /^create virtual table/i.test(sql ?? '')).map(({ name }) => `${name}_`);
  return rows
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('sqlite_') && !indexes.some((prefix) => name.startsWith(prefix)))
    .sort();
}
