import type { Knex } from '@mortise/plugin-sdk';

/** Entries that are part of what another one tells: further references of one push. Both are in what feeds look through. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('activity', (table) => {
    table.boolean('is_part').notNullable().defaultTo(false);
    table.string('push', 191).nullable();
  });
  await knex.schema.alterTable('activity', (table) => {
    table.index(['actor_id', 'created_at', 'is_private', 'is_part'], 'activity_contributions');
  });
  await knex.schema.alterTable('activity', (table) => {
    table.dropIndex(['actor_id', 'created_at', 'is_private']);
  });
  await knex.schema.alterTable('activity_receiver', (table) => {
    table.boolean('is_part').notNullable().defaultTo(false);
  });
  await knex.schema.alterTable('activity_receiver', (table) => {
    table.index(
      ['user_id', 'created_at', 'activity_id', 'is_private', 'actor_id', 'is_part'],
      'activity_receiver_told',
    );
  });
  await knex.schema.alterTable('activity_receiver', (table) => {
    table.dropIndex([], 'activity_receiver_feed');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('activity_receiver', (table) => {
    table.index(['user_id', 'created_at', 'activity_id', 'is_private', 'actor_id'], 'activity_receiver_feed');
  });
  await knex.schema.alterTable('activity_receiver', (table) => table.dropIndex([], 'activity_receiver_told'));
  await knex.schema.alterTable('activity_receiver', (table) => table.dropColumn('is_part'));
  await knex.schema.alterTable('activity', (table) => {
    table.index(['actor_id', 'created_at', 'is_private']);
  });
  await knex.schema.alterTable('activity', (table) => table.dropIndex([], 'activity_contributions'));
  await knex.schema.alterTable('activity', (table) => table.dropColumns('is_part', 'push'));
}
