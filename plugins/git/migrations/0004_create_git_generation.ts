import type { Knex } from 'knex';

/** A word for each repository that changes with its references; used where repositories lie on a network file system. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('git_generation', (table) => {
    table.string('name', 40).notNullable().primary();
    table.string('word', 40).notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('git_generation');
}
