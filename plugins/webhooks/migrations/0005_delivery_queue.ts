import type { Knex } from '@mortise/plugin-sdk';

/** Deliveries of a hook go out one after the other: who sends one now, when the next attempt is, since when all fail. */
export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('hook_delivery', 'lease_until')))
    await knex.schema.alterTable('hook_delivery', (table) => {
      table.bigInteger('lease_until').notNullable().defaultTo(0);
      table.bigInteger('next_attempt_at').notNullable().defaultTo(0);
      table.index(['hook_id', 'state', 'id'], 'hook_delivery_queue');
    });
  if (!(await knex.schema.hasColumn('webhook', 'failing_since')))
    await knex.schema.alterTable('webhook', (table) => {
      table.bigInteger('failing_since').notNullable().defaultTo(0);
    });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('webhook', (table) => {
    table.dropColumn('failing_since');
  });
  await knex.schema.alterTable('hook_delivery', (table) => {
    table.dropIndex(['hook_id', 'state', 'id'], 'hook_delivery_queue');
    table.dropColumns('lease_until', 'next_attempt_at');
  });
}
