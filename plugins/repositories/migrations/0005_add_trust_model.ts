import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.string('trust_model', 24).notNullable().defaultTo('default');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.dropColumn('trust_model');
  });
}
