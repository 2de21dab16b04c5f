import type { Knex } from '@mortise/plugin-sdk';

/** The row that dependencies are added under, one after the other. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('issue_dependency_guard', (table) => {
    table.integer('id').primary();
    table.bigInteger('taken_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('issue_dependency_guard');
}
