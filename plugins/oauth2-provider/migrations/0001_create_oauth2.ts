import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oauth2_application', (table) => {
    table.increments('id');
    // 0: the site
    table.integer('owner_id').unsigned().notNullable();
    table.string('name', 255).notNullable();
    table.string('client_id', 40).notNullable().unique();
    table.string('secret_hash', 64).notNullable();
    table.boolean('is_confidential').notNullable();
    table.boolean('skips_second_consent').notNullable();
    table.text('redirect_uris').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['owner_id', 'id']);
  });
  await knex.schema.createTable('oauth2_grant', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table
      .integer('application_id')
      .unsigned()
      .notNullable()
      .references('id')
      .inTable('oauth2_application')
      .onDelete('CASCADE');
    table.text('scope').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['user_id', 'application_id']);
    table.index('application_id');
  });
  await knex.schema.createTable('oauth2_code', (table) => {
    table.increments('id');
    table.integer('grant_id').unsigned().notNullable().references('id').inTable('oauth2_grant').onDelete('CASCADE');
    table.string('code_hash', 64).notNullable().unique();
    table.text('scope').notNullable();
    table.string('redirect_uri', 2000).notNullable();
    table.string('challenge', 128).notNullable();
    table.string('nonce', 255).notNullable();
    table.boolean('is_used').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.bigInteger('signed_in_at').notNullable();
    table.index('grant_id');
    table.index('expires_at');
  });
  await knex.schema.createTable('oauth2_token', (table) => {
    table.increments('id');
    table.integer('grant_id').unsigned().notNullable().references('id').inTable('oauth2_grant').onDelete('CASCADE');
    // the code that all of them go back to: they end together
    table.integer('code_id').unsigned().notNullable();
    table.string('kind', 10).notNullable();
    table.string('token_hash', 64).notNullable().unique();
    table.text('scope').notNullable();
    table.boolean('is_used').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.index(['grant_id', 'code_id']);
    table.index('expires_at');
  });
  await knex.schema.createTable('oauth2_key', (table) => {
    table.increments('id');
    table.string('algorithm', 10).notNullable().unique();
    table.string('key_id', 64).notNullable();
    table.text('private_key').notNullable();
    table.bigInteger('created_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['oauth2_key', 'oauth2_token', 'oauth2_code', 'oauth2_grant', 'oauth2_application'])
    await knex.schema.dropTableIfExists(table);
}
