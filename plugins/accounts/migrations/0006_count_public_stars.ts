import type { Knex } from '@mortise/plugin-sdk';

/** Starred repositories that everybody may see; `stars` counts them. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('user', (table) => {
    table.integer('public_starred_count').notNullable().defaultTo(0);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('user', (table) => {
    table.dropColumn('public_starred_count');
  });
}
