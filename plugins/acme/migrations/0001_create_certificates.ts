import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('acme_account', (table) => {
    table.increments('id');
    table.string('directory_url', 191).notNullable().unique();
    table.text('private_key').notNullable();
  });
  await knex.schema.createTable('acme_certificate', (table) => {
    table.increments('id');
    table.string('domain', 191).notNullable().unique();
    table.text('certificate', 'mediumtext').notNullable();
    table.text('private_key').notNullable();
    table.bigInteger('renew_at').notNullable();
    table.bigInteger('expires_at').notNullable();
  });
  await knex.schema.createTable('acme_challenge', (table) => {
    table.increments('id');
    table.string('token', 191).notNullable().unique();
    table.string('key_authorization', 255).notNullable();
    table.bigInteger('created_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const name of ['acme_challenge', 'acme_certificate', 'acme_account']) await knex.schema.dropTableIfExists(name);
}
