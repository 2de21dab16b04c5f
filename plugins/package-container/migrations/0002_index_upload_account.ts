import type { Knex } from '@mortise/plugin-sdk';

/** How many uploads an account has open, and how much an owner's uploads hold. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('container_upload', (table) => {
    table.index(['user_id', 'owner_id']);
    table.index(['owner_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('container_upload', (table) => {
    table.dropIndex(['user_id', 'owner_id']);
    table.dropIndex(['owner_id']);
  });
}
