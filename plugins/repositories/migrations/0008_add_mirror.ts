import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.boolean('is_mirror').notNullable().defaultTo(false);
    table.bigInteger('mirror_interval').notNullable().defaultTo(0);
    table.bigInteger('mirror_synced_at').notNullable().defaultTo(0);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.dropColumn('is_mirror');
    table.dropColumn('mirror_interval');
    table.dropColumn('mirror_synced_at');
  });
}
