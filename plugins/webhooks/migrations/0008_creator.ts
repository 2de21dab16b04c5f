import type { Knex } from '@mortise/plugin-sdk';

/** Who made a webhook, and since when they may not administer the repository any more (0: they may, or it is not known). */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('webhook', (table) => {
    table.integer('creator_id').notNullable().defaultTo(0);
    table.bigInteger('creator_left_at').notNullable().defaultTo(0);
    table.index(['creator_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('webhook', (table) => {
    table.dropIndex(['creator_id']);
    table.dropColumn('creator_id');
    table.dropColumn('creator_left_at');
  });
}
