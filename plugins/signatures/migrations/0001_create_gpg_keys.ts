import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('gpg_key', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('key_id', 16).notNullable();
    table.string('fingerprint', 64).notNullable().unique();
    table.text('public_key', 'mediumtext').notNullable();
    table.text('armored', 'mediumtext').notNullable();
    table.text('emails', 'mediumtext').notNullable();
    for (const ability of ['sign', 'encrypt_comms', 'encrypt_storage', 'certify'])
      table.boolean(`can_${ability}`).notNullable().defaultTo(false);
    table.boolean('verified').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable().defaultTo(0);
    table.bigInteger('added_at').notNullable();
    table.index(['key_id']);
    table.index(['user_id', 'id']);
  });
  await knex.schema.createTable('gpg_subkey', (table) => {
    table.increments('id');
    table.integer('gpg_key_id').unsigned().notNullable().references('id').inTable('gpg_key').onDelete('CASCADE');
    table.string('key_id', 16).notNullable();
    table.string('fingerprint', 64).notNullable();
    table.text('public_key', 'mediumtext').notNullable();
    for (const ability of ['sign', 'encrypt_comms', 'encrypt_storage', 'certify'])
      table.boolean(`can_${ability}`).notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable().defaultTo(0);
    table.unique(['gpg_key_id', 'fingerprint']);
    table.index(['key_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['gpg_subkey', 'gpg_key']) await knex.schema.dropTableIfExists(table);
}
