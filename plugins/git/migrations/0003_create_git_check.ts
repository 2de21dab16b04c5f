import type { Knex } from 'knex';

/** When the objects of each repository were last checked, and what was found. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('git_check', (table) => {
    table.integer('repository_id').notNullable();
    table.string('kind', 8).notNullable();
    table.bigInteger('checked_at').notNullable();
    table.text('problem').nullable();
    table.primary(['repository_id', 'kind']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('git_check');
}
