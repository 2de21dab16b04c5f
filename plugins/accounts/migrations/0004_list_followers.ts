import type { Knex } from '@mortise/plugin-sdk';

/** Lists of followers in their order, and who among them is hidden, without looking at all of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('user_follow', (table) => {
    table.index(['followed_id', 'created_at', 'user_id']);
    table.index(['user_id', 'created_at', 'followed_id']);
  });
  await knex.schema.alterTable('user', (table) => {
    table.index(['visibility']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('user', (table) => {
    table.dropIndex(['visibility']);
  });
  await knex.schema.alterTable('user_follow', (table) => {
    table.dropIndex(['user_id', 'created_at', 'followed_id']);
    table.dropIndex(['followed_id', 'created_at', 'user_id']);
  });
}
