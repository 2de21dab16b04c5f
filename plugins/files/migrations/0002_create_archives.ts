import type { Knex } from '@mortise/plugin-sdk';

/** Which archives lie in storage, and when they were last used: the budget goes by it. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('file_archive', (table) => {
    table.string('key', 191).primary();
    table.integer('repository_id').unsigned().notNullable();
    table.bigInteger('bytes').notNullable();
    table.bigInteger('used_at').notNullable();
    table.index(['used_at', 'key']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('file_archive');
}
