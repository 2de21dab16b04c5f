import type { Knex } from 'knex';

/** Who contributed how much, counted from the history of one commit; one row for each repository. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('insight', (table) => {
    table.integer('repository_id').notNullable().primary();
    table.string('commit', 64).notNullable();
    table.bigInteger('counted_at').notNullable();
    table.text('contributions', 'longtext').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('insight');
}
