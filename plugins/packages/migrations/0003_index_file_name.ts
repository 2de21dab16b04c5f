import type { Knex } from '@mortise/plugin-sdk';

/** Clients of some formats know a file by nothing but its name. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('package_file', (table) => table.index(['lower_name']));
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('package_file', (table) => table.dropIndex(['lower_name']));
}
