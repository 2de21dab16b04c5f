import type { Knex } from '@mortise/plugin-sdk';

/** What a delivery is about in one line, as JSON; nothing for those from before. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('hook_delivery', (table) => {
    table.text('description');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('hook_delivery', (table) => {
    table.dropColumn('description');
  });
}
