import type { Knex } from '@mortise/plugin-sdk';

/** Encrypted, a token of 255 characters, which it may have where it is set in advance, has up to 1062. */
export async function up(knex: Knex): Promise<void> {
  await resize(knex, 1062);
}

export async function down(knex: Knex): Promise<void> {
  await resize(knex, 255);
}

/** SQLite has no lengths. */
async function resize(knex: Knex, length: number): Promise<void> {
  if ((knex.client as { dialect: string }).dialect !== 'mysql') return;
  await knex.schema.alterTable('action_registration', (table) => {
    table.string('sealed', length).notNullable().alter();
  });
}
