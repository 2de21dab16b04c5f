import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  // what kind of failure ended it; the page says it in the language of its visitor
  await knex.schema.alterTable('repository_import', (table) => {
    table.string('reason', 20).notNullable().defaultTo('');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository_import', (table) => {
    table.dropColumn('reason');
  });
}
