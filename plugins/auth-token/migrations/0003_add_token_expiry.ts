import type { Knex } from '@mortise/plugin-sdk';

/** Tokens that end, and when their owners hear of it; 0: never. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('access_token', (table) => {
    table.bigInteger('expires_at').notNullable().defaultTo(0);
    table.bigInteger('notice_at').notNullable().defaultTo(0);
    table.index(['notice_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex('access_token').where('expires_at', '>', 0).delete();
  await knex.schema.alterTable('access_token', (table) => {
    table.dropIndex(['notice_at']);
    table.dropColumn('notice_at');
    table.dropColumn('expires_at');
  });
}
