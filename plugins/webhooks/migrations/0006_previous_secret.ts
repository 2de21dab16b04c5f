import type { Knex } from '@mortise/plugin-sdk';

/** A secret that was replaced stays valid for a while: deliveries are signed with both. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('webhook', (table) => {
    // as the secret, encrypted; null: there is none
    table.text('previous_secret');
    table.bigInteger('previous_until').notNullable().defaultTo(0);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('webhook', (table) => {
    table.dropColumn('previous_secret');
    table.dropColumn('previous_until');
  });
}
