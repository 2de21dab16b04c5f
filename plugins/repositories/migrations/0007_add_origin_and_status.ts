import type { Knex } from '@mortise/plugin-sdk';

/** Where a repository was imported from, and whether an import is still writing it. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.string('original_url', 2048).notNullable().defaultTo('');
    table.string('status', 10).notNullable().defaultTo('ready');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => table.dropColumns('original_url', 'status'));
}
