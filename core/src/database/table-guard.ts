import type { Knex } from 'knex';
import { tablesIn } from '../registry/tables.js';
import type { MigrationSource } from '../contracts.js';
import { definitionTargets } from './table-targets.js';

/** Something that a migration must not do; what it did before that is taken back. */
export class ForeignTableError extends Error {}

interface MigrationRow {
  readonly owner: string;
  readonly tables?: string | null;
}

/** Name of a table → whose it is, as far as that is known. */
type TableOwners = ReadonlyMap<string, string>;

/** By what each migration made, as the table `migration` has it, and by the literal names in the migrations that are here. */
export async function tableOwners(knex: Knex, sources: readonly MigrationSource[]): Promise<TableOwners> {
  const owners = new Map<string, string>([
    ['migration', 'core'],
    ['migration_step', 'core'],
    ['migration_lock', 'core'],
  ]);
  for (const { owner, folder } of sources)
    for (const table of tablesIn(folder) ?? []) if (!owners.has(table)) owners.set(table, owner);
  for (const { owner, tables } of await knex('migration').select<MigrationRow[]>('*'))
    for (const table of namesIn(tables)) owners.set(table, owner);
  return owners;
}

export const namesIn = (tables: string | null | undefined): string[] =>
  tables ? (JSON.parse(tables) as string[]) : [];

/** What one migration of a plugin from outside may not touch. */
export class TableGuard {
  private constructor(
    private readonly owner: string,
    private readonly owners: TableOwners,
    /** Before the migration: name → what defines it. */
    private readonly before: ReadonlyMap<string, string>,
    /** It was migrated before the tables of a migration were recorded: names that its code computes may be its own. */
    private readonly isOlder: boolean,
  ) {}

  static async begin(knex: Knex, owner: string, owners: TableOwners, engine: 'sqlite' | 'mysql'): Promise<TableGuard> {
    const rows = await knex('migration').where({ owner }).select<MigrationRow[]>('*');
    const isOlder = rows.some(({ tables }) => tables === null || tables === undefined);
    return new TableGuard(owner, owners, await definitions(knex, engine), isOlder);
  }

  /** Before a statement is run: on MariaDB what it changes is committed by itself, and what it drops is gone. */
  readonly check = (sql: string): void => {
    const { tables, opaque } = definitionTargets(sql);
    if (opaque) throw new ForeignTableError(`it runs a statement whose tables cannot be told (${opaque}): ${sql}`);
    for (const table of tables) this.#refuse(table, 'would change');
  };

  /** After it: whatever was defined before and is not its own must be as it was. */
  async end(knex: Knex, engine: 'sqlite' | 'mysql'): Promise<void> {
    const after = await definitions(knex, engine);
    for (const [table, definition] of this.before) {
      const now = after.get(table);
      if (now === definition) continue;
      this.#refuse(table, now === undefined ? 'drops or renames' : 'changes');
    }
  }

  #refuse(table: string, what: string): void {
    const other = this.#ownerOfForeign(table);
    if (other === undefined) return;
    throw new ForeignTableError(
      `it ${what} the table ${table}, which belongs to ${other}. A migration may change only tables of its own plugin; ` +
        'nothing was changed',
    );
  }

  #ownerOfForeign(table: string): string | undefined {
    const known = this.owners.get(table);
    if (known !== undefined) return known === this.owner ? undefined : known === 'core' ? 'the kernel' : known;
    if (!this.before.has(table) || this.isOlder) return undefined;
    // a search index (`create virtual table`) keeps tables of its own behind it
    for (const [name, owner] of this.owners) if (owner === this.owner && table.startsWith(`${name}_`)) return undefined;
    return 'somebody else';
  }
}

export async function tableNames(knex: Knex, engine: 'sqlite' | 'mysql'): Promise<string[]> {
  if (engine === 'sqlite')
    return (await knex('sqlite_master').where('type', 'table').pluck<string[]>('name')).filter(
      (name) => !name.startsWith('sqlite_'),
    );
  const [rows] = (await knex.raw('show tables')) as [Record<string, string>[]];
  return rows.map((row) => Object.values(row)[0]!);
}

/** By the name of each table: its columns, indexes and triggers, in words that are the same as long as they are. */
async function definitions(knex: Knex, engine: 'sqlite' | 'mysql'): Promise<Map<string, string>> {
  const definitionByTable = new Map<string, string>();
  const add = (table: string, text: string) =>
    definitionByTable.set(table, `${definitionByTable.get(table) ?? ''}\n${text}`);
  if (engine === 'sqlite') {
    const rows = await knex('sqlite_master')
      .orderBy(['tbl_name', 'type', 'name'])
      .select<{ name: string; tbl_name: string; sql: string | null }[]>('name', 'tbl_name', 'sql');
    for (const { name, tbl_name: table, sql } of rows)
      if (!table.startsWith('sqlite_')) add(table, `${name} ${sql ?? ''}`);
    return definitionByTable;
  }
  const queries = [
    `select table_name as name, concat_ws(' ', column_name, ordinal_position, column_type, is_nullable, column_default,
       collation_name, extra) as text
     from information_schema.columns where table_schema = database() order by table_name, ordinal_position`,
    `select table_name as name, concat_ws(' ', index_name, seq_in_index, column_name, non_unique) as text
     from information_schema.statistics where table_schema = database() order by table_name, index_name, seq_in_index`,
    `select event_object_table as name, concat_ws(' ', trigger_name, action_statement) as text
     from information_schema.triggers where trigger_schema = database() order by event_object_table, trigger_name`,
  ];
  for (const sql of queries) {
    const [rows] = (await knex.raw(sql)) as [{ name: string; text: string }[]];
    for (const { name, text } of rows) add(name, text);
  }
  return definitionByTable;
}
