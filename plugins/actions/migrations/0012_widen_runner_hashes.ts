import type { Knex } from '@mortise/plugin-sdk';

/** Runners of a server that is taken over have hashes in the PHC string format, until they are used. */
export async function up(knex: Knex): Promise<void> {
  await resize(knex, 160);
}

export async function down(knex: Knex): Promise<void> {
  await resize(knex, 64);
}

/** SQLite has no lengths. */
async function resize(knex: Knex, length: number): Promise<void> {
  if ((knex.client as { dialect: string }).dialect !== 'mysql') return;
  await knex.schema.alterTable('action_runner', (table) => {
    table.string('token_hash', length).notNullable().alter();
  });
}
