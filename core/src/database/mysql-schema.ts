import type { Knex } from 'knex';
import type { SchemaInfo } from './statements.js';

const acts = (rule: unknown) => rule !== 'NO ACTION' && rule !== 'RESTRICT';

/** Tables, views, cascading keys and triggers of the database. */
export async function readMysqlSchema(knex: Knex, name: string): Promise<SchemaInfo> {
  const rows = async (sql: string) => ((await knex.raw(sql, [name])) as [Record<string, string>[]])[0];
  const [tables, views, keys, triggers] = await Promise.all([
    rows("select table_name as name from information_schema.tables where table_schema = ? and table_type <> 'VIEW'"),
    rows('select table_name as name, view_definition as text from information_schema.views where table_schema = ?'),
    rows(
      `select referenced_table_name as parent, table_name as child, delete_rule as deleting, update_rule as updating
       from information_schema.referential_constraints where constraint_schema = ?`,
    ),
    rows(
      `select event_object_table as name, action_statement as text
       from information_schema.triggers where trigger_schema = ?`,
    ),
  ]);
  return {
    tables: tables.map((row) => row.name!),
    views: views.map((row) => ({ name: row.name!, sql: row.text! })),
    cascades: keys.filter((key) => acts(key.deleting)).map(({ parent, child }) => ({ from: parent!, to: child! })),
    triggers: [
      ...triggers.map((row) => ({ table: row.name!, sql: row.text! })),
      ...keys.filter((key) => acts(key.updating)).map(({ parent, child }) => ({ table: parent!, sql: child! })),
    ],
  };
}
