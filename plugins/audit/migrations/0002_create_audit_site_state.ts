import type { Knex } from '@mortise/plugin-sdk';

/** One row: the plugins and settings with which the site started last. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('audit_site_state', (table) => {
    table.integer('id').unsigned().primary();
    table.text('state', 'mediumtext').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('audit_site_state');
}
