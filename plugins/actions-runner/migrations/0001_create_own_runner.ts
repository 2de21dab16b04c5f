import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  // a row: an administrator has started the runner of the server
  await knex.schema.createTable('action_own_runner', (table) => {
    table.integer('id').unsigned().notNullable().primary();
    table.text('serves').notNullable();
    table.bigInteger('started_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('action_own_runner');
}
