import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('scim_token')))
    await knex.schema.createTable('scim_token', (table) => {
      table.increments('id');
      table.string('name', 100).notNullable().unique();
      table.string('token_hash', 64).notNullable().unique();
      table.integer('organization_id').unsigned().references('id').inTable('user').onDelete('SET NULL');
      table.integer('login_source_id').unsigned().references('id').inTable('login_source').onDelete('SET NULL');
      table.boolean('manages_administrators').notNullable().defaultTo(false);
      table.bigInteger('created_at').notNullable();
      table.bigInteger('last_used_at').notNullable().defaultTo(0);
    });
  if (!(await knex.schema.hasTable('scim_user')))
    await knex.schema.createTable('scim_user', (table) => {
      table.increments('id');
      table.integer('token_id').unsigned().notNullable().references('id').inTable('scim_token').onDelete('CASCADE');
      table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
      table.string('user_name', 255).notNullable();
      table.string('lower_user_name', 255).notNullable();
      table.string('external_id', 255).notNullable().defaultTo('');
      table.string('given_name', 100).notNullable().defaultTo('');
      table.string('family_name', 100).notNullable().defaultTo('');
      table.boolean('has_display_name').notNullable().defaultTo(true);
      table.string('email_type', 50).notNullable().defaultTo('');
      table.boolean('is_email_primary');
      table.boolean('is_deactivated').notNullable().defaultTo(false);
      table.boolean('is_deleted').notNullable().defaultTo(false);
      table.unique(['user_id']);
      table.index(['token_id', 'lower_user_name']);
    });
  if (!(await knex.schema.hasTable('scim_group')))
    await knex.schema.createTable('scim_group', (table) => {
      table.increments('id');
      table.integer('token_id').unsigned().notNullable().references('id').inTable('scim_token').onDelete('CASCADE');
      table.integer('team_id').unsigned().notNullable().references('id').inTable('team').onDelete('CASCADE');
      table.string('display_name', 255).notNullable();
      table.string('lower_display_name', 255).notNullable();
      table.string('external_id', 255).notNullable().defaultTo('');
      table.boolean('is_deleted').notNullable().defaultTo(false);
      table.unique(['token_id', 'team_id']);
    });
}

export async function down(knex: Knex): Promise<void> {
  for (const name of ['scim_group', 'scim_user', 'scim_token']) await knex.schema.dropTableIfExists(name);
}
