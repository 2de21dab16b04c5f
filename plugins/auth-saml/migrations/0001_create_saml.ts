import type { Knex } from '@mortise/plugin-sdk';

const ofSource = (table: Knex.CreateTableBuilder) =>
  table.integer('source_id').unsigned().notNullable().references('id').inTable('login_source').onDelete('CASCADE');

export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('saml_used_assertion')))
    await knex.schema.createTable('saml_used_assertion', (table) => {
      table.increments('id');
      ofSource(table);
      table.string('assertion_hash', 64).notNullable();
      table.bigInteger('expires_at').notNullable();
      table.unique(['source_id', 'assertion_hash']);
      table.index(['expires_at']);
    });
  if (!(await knex.schema.hasTable('saml_pending_sign_in')))
    await knex.schema.createTable('saml_pending_sign_in', (table) => {
      table.increments('id');
      ofSource(table);
      table.string('code_hash', 64).notNullable().unique();
      table.string('request_id', 100).notNullable();
      table.text('identity', 'mediumtext').notNullable();
      table.bigInteger('expires_at').notNullable();
      table.index(['expires_at']);
    });
}

export async function down(knex: Knex): Promise<void> {
  for (const name of ['saml_pending_sign_in', 'saml_used_assertion']) await knex.schema.dropTableIfExists(name);
}
