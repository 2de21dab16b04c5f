import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_run', (table) => {
    table.index(['trigger_user_id', 'status', 'created_at'], 'action_run_of_user');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_run', (table) => table.dropIndex([], 'action_run_of_user'));
}
