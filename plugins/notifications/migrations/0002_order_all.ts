import type { Knex } from '@mortise/plugin-sdk';

/** For lists of all threads of an account, whatever their status. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('notification', (table) => {
    table.index(['user_id', 'updated_at'], 'notification_newest');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('notification', (table) => {
    table.dropIndex(['user_id', 'updated_at'], 'notification_newest');
  });
}
