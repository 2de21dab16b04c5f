import type { Knex } from '@mortise/plugin-sdk';

/** What was told, and up to which account, so that nobody is told twice and nobody is left out. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('notification_told', (table) => {
    table.string('what', 64).notNullable().primary();
    // accounts are told in the order of their ids
    table.integer('last_user_id').unsigned().notNullable();
    table.bigInteger('told_at').notNullable();
    table.index(['told_at'], 'notification_told_at');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('notification_told');
}
