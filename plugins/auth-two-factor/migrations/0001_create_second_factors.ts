import type { Knex } from '@mortise/plugin-sdk';

const ofUser = (table: Knex.CreateTableBuilder) =>
  table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('two_factor_totp', (table) => {
    ofUser(table).primary();
    table.string('secret', 255).notNullable();
    table.bigInteger('last_step').notNullable();
    table.integer('failures').notNullable().defaultTo(0);
    table.bigInteger('failing_since').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
  });
  await knex.schema.createTable('two_factor_recovery_code', (table) => {
    table.increments('id');
    ofUser(table);
    table.string('code_hash', 64).notNullable();
    table.unique(['user_id', 'code_hash']);
  });
  await knex.schema.createTable('two_factor_key', (table) => {
    table.increments('id');
    ofUser(table);
    table.string('name', 255).notNullable();
    table.string('credential_hash', 64).notNullable().unique();
    table.text('credential_id').notNullable();
    table.text('public_key').notNullable();
    table.bigInteger('counter').notNullable();
    table.string('transports', 255).notNullable();
    table.boolean('is_passkey').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at').notNullable();
    table.index(['user_id', 'id']);
  });
  await knex.schema.createTable('two_factor_used_challenge', (table) => {
    table.string('challenge_hash', 64).primary();
    table.bigInteger('expires_at').notNullable().index();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('two_factor_used_challenge');
  await knex.schema.dropTableIfExists('two_factor_key');
  await knex.schema.dropTableIfExists('two_factor_recovery_code');
  await knex.schema.dropTableIfExists('two_factor_totp');
}
