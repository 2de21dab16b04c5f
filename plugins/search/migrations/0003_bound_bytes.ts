import type { Knex } from '@mortise/plugin-sdk';

const isMySql = (knex: Knex): boolean => (knex.client as { dialect: string }).dialect === 'mysql';

/** Bytes of text that are indexed of a file, unknown of files from before; branches have names of any length. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('search_file', (table) => {
    table.integer('bytes').unsigned();
  });
  // SQLite bounds no text
  if (isMySql(knex)) await knex.raw('ALTER TABLE search_tree MODIFY branch TEXT NOT NULL');
}

export async function down(knex: Knex): Promise<void> {
  if (isMySql(knex)) {
    await knex.raw('UPDATE search_tree SET branch = LEFT(branch, 255)');
    await knex.raw('ALTER TABLE search_tree MODIFY branch VARCHAR(255) NOT NULL');
  }
  await knex.schema.alterTable('search_file', (table) => {
    table.dropColumn('bytes');
  });
}
