import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('issue', (table) => {
    table.bigInteger('start_at').notNullable().defaultTo(0);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('issue', (table) => table.dropColumn('start_at'));
}
