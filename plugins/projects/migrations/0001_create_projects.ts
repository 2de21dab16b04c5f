import type { Knex } from '@mortise/plugin-sdk';

type Table = Knex.CreateTableBuilder;

const reference = (table: Table, column: string, other: string) =>
  table.integer(column).unsigned().references('id').inTable(other).onDelete('CASCADE');

async function createBoards(knex: Knex): Promise<void> {
  await knex.schema.createTable('project', (table) => {
    table.increments('id');
    table.string('type', 16).notNullable();
    // the board is of a repository, or else of the account that `owner_id` names
    reference(table, 'repository_id', 'repository');
    table.integer('owner_id').notNullable().defaultTo(0);
    table.string('title', 255).notNullable();
    table.text('description').notNullable();
    table.integer('creator_id').notNullable();
    table.boolean('is_closed').notNullable().defaultTo(false);
    table.string('template', 16).notNullable();
    table.string('card_type', 16).notNullable();
    // grows with every change of the board: open pages see by it what they have missed
    table.integer('revision').unsigned().notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.bigInteger('closed_at').notNullable().defaultTo(0);
    table.index(['repository_id', 'is_closed', 'id'], 'project_of_repository');
    table.index(['owner_id', 'is_closed', 'id'], 'project_of_owner');
  });
  await knex.schema.createTable('project_column', (table) => {
    table.increments('id');
    reference(table, 'project_id', 'project').notNullable();
    table.string('title', 255).notNullable();
    table.string('color', 7).notNullable().defaultTo('');
    table.boolean('is_default').notNullable().defaultTo(false);
    table.integer('sorting').notNullable().defaultTo(0);
    // 0: no limit
    table.integer('card_limit').notNullable().defaultTo(0);
    table.integer('creator_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['project_id', 'sorting', 'id'], 'project_column_order');
  });
  await knex.schema.createTable('project_card', (table) => {
    table.increments('id');
    reference(table, 'project_id', 'project').notNullable();
    reference(table, 'column_id', 'project_column').notNullable();
    reference(table, 'issue_id', 'issue').notNullable();
    table.integer('creator_id').notNullable();
    table.boolean('is_archived').notNullable().defaultTo(false);
    // with gaps, so that a card is put between two others without touching them
    table.bigInteger('position').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['project_id', 'issue_id'], { indexName: 'project_card_once' });
    table.index(['column_id', 'is_archived', 'position', 'id'], 'project_card_order');
    table.index(['issue_id'], 'project_card_of_issue');
  });
}

async function createFields(knex: Knex): Promise<void> {
  await knex.schema.createTable('project_field', (table) => {
    table.increments('id');
    reference(table, 'project_id', 'project').notNullable();
    table.string('name', 100).notNullable();
    table.string('kind', 16).notNullable();
    table.integer('sorting').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.index(['project_id', 'sorting', 'id'], 'project_field_order');
  });
  // what a field of the kinds `choice` and `iteration` can hold
  await knex.schema.createTable('project_field_option', (table) => {
    table.increments('id');
    reference(table, 'field_id', 'project_field').notNullable();
    table.string('title', 100).notNullable();
    table.string('color', 7).notNullable().defaultTo('');
    table.integer('sorting').notNullable().defaultTo(0);
    // of an iteration: its first day as `2026-01-31`, and how long it takes
    table.string('starts_on', 10).notNullable().defaultTo('');
    table.integer('days').notNullable().defaultTo(0);
    table.index(['field_id', 'sorting', 'id'], 'project_field_option_order');
  });
  await knex.schema.createTable('project_field_value', (table) => {
    table.increments('id');
    reference(table, 'card_id', 'project_card').notNullable();
    reference(table, 'field_id', 'project_field').notNullable();
    // one of the three, as the kind of the field says; a date as `2026-01-31`
    table.string('text_value', 1000);
    table.double('number_value');
    reference(table, 'option_id', 'project_field_option');
    table.unique(['card_id', 'field_id'], { indexName: 'project_field_value_once' });
    table.index(['field_id'], 'project_field_value_of_field');
    table.index(['option_id'], 'project_field_value_of_option');
  });
}

async function createRulesAndViews(knex: Knex): Promise<void> {
  await knex.schema.createTable('project_rule', (table) => {
    table.increments('id');
    reference(table, 'project_id', 'project').notNullable();
    reference(table, 'column_id', 'project_column').notNullable();
    table.string('trigger_event', 32).notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['project_id', 'trigger_event'], { indexName: 'project_rule_once' });
    table.index(['column_id'], 'project_rule_of_column');
  });
  await knex.schema.createTable('project_view', (table) => {
    table.increments('id');
    reference(table, 'project_id', 'project').notNullable();
    table.string('title', 100).notNullable();
    table.string('layout', 16).notNullable();
    // the filter as people write it in the list of issues
    table.string('filter', 1000).notNullable().defaultTo('');
    table.text('options').notNullable();
    table.integer('sorting').notNullable().defaultTo(0);
    table.integer('creator_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['project_id', 'sorting', 'id'], 'project_view_order');
  });
  // who has the board open: whom moves are told to at once
  await knex.schema.createTable('project_viewer', (table) => {
    table.increments('id');
    reference(table, 'project_id', 'project').notNullable();
    table.integer('user_id').notNullable();
    table.bigInteger('seen_at').notNullable();
    table.unique(['project_id', 'user_id'], { indexName: 'project_viewer_once' });
    table.index(['user_id'], 'project_viewer_user');
  });
}

export async function up(knex: Knex): Promise<void> {
  await createBoards(knex);
  await createFields(knex);
  await createRulesAndViews(knex);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of [
    'project_viewer',
    'project_view',
    'project_rule',
    'project_field_value',
    'project_field_option',
    'project_field',
    'project_card',
    'project_column',
    'project',
  ])
    await knex.schema.dropTableIfExists(table);
}
