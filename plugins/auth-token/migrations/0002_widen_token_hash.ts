import type { Knex } from '@mortise/plugin-sdk';

/** Others than SQLite hold texts to their length. */
const isMySql = (knex: Knex): boolean => (knex.client as { dialect: string }).dialect === 'mysql';

/** Tokens of another server keep its hash until they are used, and are looked for by their end. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('access_token', (table) => {
    table.index(['last_eight']);
    if (isMySql(knex)) table.string('token_hash', 255).notNullable().alter();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex('access_token').where('token_hash', 'like', '$%').delete();
  await knex.schema.alterTable('access_token', (table) => {
    table.dropIndex(['last_eight']);
    if (isMySql(knex)) table.string('token_hash', 64).notNullable().alter();
  });
}
