import type { Knex } from 'knex';

/** A count of a history that is under way, or that failed; one row for each repository. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('insight_progress', (table) => {
    table.integer('repository_id').notNullable().primary();
    table.string('commit', 64).notNullable();
    table.integer('counted').notNullable();
    table.text('tally', 'longtext').notNullable();
    table.string('failure', 500);
    table.bigInteger('failed_at');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('insight_progress');
}
