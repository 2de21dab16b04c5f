import type { Knex } from 'knex';

/** What went wrong in plugins besides jobs and deliveries, which keep their own record; one row for all of a kind. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('plugin_fault', (table) => {
    table.string('plugin', 90).notNullable();
    table.string('kind', 20).notNullable();
    table.string('what', 160).notNullable();
    table.string('message', 500).notNullable();
    table.integer('count').notNullable();
    table.bigInteger('first_at').notNullable();
    table.bigInteger('last_at').notNullable();
    table.primary(['plugin', 'kind', 'what']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('plugin_fault');
}
