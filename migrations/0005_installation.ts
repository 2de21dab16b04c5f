import type { Knex } from 'knex';

/** What is true of the whole installation, one row each: of which secret its sealed columns were made. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('installation', (table) => {
    table.string('name', 60).primary();
    table.string('value', 200).notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('installation');
}
