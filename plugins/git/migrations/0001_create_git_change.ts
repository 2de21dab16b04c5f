import type { Knex } from 'knex';

/** Changes of references whose event is stored; rows are forgotten after some days. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('git_change', (table) => {
    table.string('id', 64).notNullable().primary();
    table.integer('repository_id').notNullable();
    table.bigInteger('created_at').notNullable().index();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('git_change');
}
