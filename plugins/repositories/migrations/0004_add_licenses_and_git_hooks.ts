import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.text('licenses');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.dropColumn('licenses');
  });
}
