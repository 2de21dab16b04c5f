import type { Knex } from '@mortise/plugin-sdk';

const ofUser = (table: Knex.CreateTableBuilder) =>
  table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
const ofSource = (table: Knex.CreateTableBuilder) =>
  table.integer('source_id').unsigned().notNullable().references('id').inTable('login_source').onDelete('CASCADE');

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('oauth2_link', (table) => {
    table.increments('id');
    ofSource(table);
    ofUser(table);
    table.string('subject', 255).notNullable();
    // of the subject as the provider spells it, whatever the database compares by
    table.string('subject_hash', 64).notNullable();
    table.string('name', 255).notNullable().defaultTo('');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at').notNullable().defaultTo(0);
    table.unique(['source_id', 'subject_hash']);
    table.index(['user_id', 'id']);
  });
  await knex.schema.createTable('oauth2_arrival', (table) => {
    table.increments('id');
    table.string('token_hash', 64).notNullable().unique();
    ofSource(table);
    table.text('identity').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.index(['expires_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('oauth2_arrival');
  await knex.schema.dropTableIfExists('oauth2_link');
}
