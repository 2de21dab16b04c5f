import type { Knex } from '@mortise/plugin-sdk';

/** Who has packages of a format, for lists over all owners. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('package', (table) => table.index(['type', 'owner_id']));
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('package', (table) => table.dropIndex(['type', 'owner_id']));
}
