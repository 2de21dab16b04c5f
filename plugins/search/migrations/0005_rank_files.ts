import type { Knex } from '@mortise/plugin-sdk';

/** What results of code are ordered and filtered by; unknown of files from before, which are read once more. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('search_file', (table) => {
    // without folders, in small letters
    table.string('name', 255).notNullable().defaultTo('');
    table.string('language', 60);
    table.boolean('is_hidden').notNullable().defaultTo(false);
    table.text('definitions');
  });
  await knex('search_tree').update({ commit_id: '' });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('search_file', (table) => {
    for (const column of ['name', 'language', 'is_hidden', 'definitions']) table.dropColumn(column);
  });
}
