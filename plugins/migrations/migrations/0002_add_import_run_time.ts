import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  // milliseconds that its runs took since it was begun, or let go on
  await knex.schema.alterTable('repository_import', (table) => {
    table.bigInteger('ran_ms').notNullable().defaultTo(0);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository_import', (table) => {
    table.dropColumn('ran_ms');
  });
}
