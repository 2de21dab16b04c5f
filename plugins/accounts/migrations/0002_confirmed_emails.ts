import type { Knex } from '@mortise/plugin-sdk';

/**
 * Whether somebody other than the account's owner vouches for the address. Of addresses that are there already nobody
 * knows, but those of administrators.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('email_address', (table) => {
    table.boolean('is_confirmed').notNullable().defaultTo(false);
  });
  const administrators = knex('user').select('id').where('is_admin', true);
  await knex('email_address').whereIn('user_id', administrators).update({ is_confirmed: true });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('email_address', (table) => {
    table.dropColumn('is_confirmed');
  });
}
