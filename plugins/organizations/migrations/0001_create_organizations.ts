import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  const account = (table: Knex.CreateTableBuilder, column: string) =>
    table.integer(column).unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
  const team = (table: Knex.CreateTableBuilder) =>
    table.integer('team_id').unsigned().notNullable().references('id').inTable('team').onDelete('CASCADE');

  await knex.schema.createTable('organization', (table) => {
    account(table, 'account_id').primary();
    table.boolean('repository_admins_change_teams').notNullable().defaultTo(false);
  });
  await knex.schema.createTable('organization_member', (table) => {
    account(table, 'organization_id');
    account(table, 'user_id');
    table.boolean('is_public').notNullable().defaultTo(false);
    table.primary(['organization_id', 'user_id']);
    table.index(['user_id', 'organization_id']);
  });
  await knex.schema.createTable('team', (table) => {
    table.increments('id');
    account(table, 'organization_id');
    table.string('name', 255).notNullable();
    table.string('lower_name', 255).notNullable();
    table.string('description', 255).notNullable().defaultTo('');
    table.string('authorization', 16).notNullable().defaultTo('none');
    table.boolean('gives_access').notNullable().defaultTo(false);
    table.boolean('includes_all_repositories').notNullable().defaultTo(false);
    table.boolean('can_create_repository').notNullable().defaultTo(false);
    table.string('visibility', 16).notNullable().defaultTo('private');
    table.integer('member_count').notNullable().defaultTo(0);
    table.integer('repository_count').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['organization_id', 'lower_name']);
  });
  await knex.schema.createTable('team_unit', (table) => {
    team(table);
    table.string('unit', 32).notNullable();
    table.string('mode', 16).notNullable();
    table.primary(['team_id', 'unit']);
  });
  await knex.schema.createTable('team_member', (table) => {
    team(table);
    account(table, 'user_id');
    account(table, 'organization_id');
    table.primary(['team_id', 'user_id']);
    table.index(['user_id', 'organization_id']);
    table.index(['organization_id']);
  });
  await knex.schema.createTable('team_repository', (table) => {
    team(table);
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.primary(['team_id', 'repository_id']);
    table.index(['repository_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['team_repository', 'team_member', 'team_unit', 'team', 'organization_member', 'organization'])
    await knex.schema.dropTableIfExists(table);
}
