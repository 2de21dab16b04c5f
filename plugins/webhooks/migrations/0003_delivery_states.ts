import type { Knex } from '@mortise/plugin-sdk';

/** So that what waits and what failed can be counted. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('hook_delivery', (table) => {
    table.index(['state'], 'hook_delivery_state');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('hook_delivery', (table) => {
    table.dropIndex(['state'], 'hook_delivery_state');
  });
}
