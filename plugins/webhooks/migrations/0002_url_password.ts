import type { Knex } from '@mortise/plugin-sdk';

/** The password of a hook's address, encrypted; `url` shows a mask in its place. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('webhook', (table) => {
    table.string('url_password', 2000).notNullable().defaultTo('');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('webhook', (table) => {
    table.dropColumn('url_password');
  });
}
