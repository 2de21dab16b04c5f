import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  const ofRepository = (table: Knex.CreateTableBuilder) =>
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
  const ofIssue = (table: Knex.CreateTableBuilder, column = 'issue_id') =>
    table.integer(column).unsigned().notNullable().references('id').inTable('issue').onDelete('CASCADE');
  const time = (table: Knex.CreateTableBuilder, name: string) => table.bigInteger(name).notNullable().defaultTo(0);

  await knex.schema.createTable('issue_number', (table) => {
    ofRepository(table).primary();
    table.integer('last').notNullable();
  });
  await knex.schema.createTable('milestone', (table) => {
    table.increments('id');
    ofRepository(table);
    table.string('title', 255).notNullable();
    table.string('lower_title', 520).notNullable();
    table.text('description', 'longtext').notNullable();
    table.boolean('is_closed').notNullable();
    time(table, 'due_at');
    table.integer('open_count').notNullable().defaultTo(0);
    table.integer('closed_count').notNullable().defaultTo(0);
    time(table, 'created_at');
    time(table, 'updated_at');
    time(table, 'closed_at');
    table.index(['repository_id', 'is_closed', 'due_at', 'id'], 'milestone_by_state');
  });
  await knex.schema.createTable('issue', (table) => {
    table.increments('id');
    ofRepository(table);
    table.integer('number').notNullable();
    table.boolean('is_pull').notNullable();
    table.integer('poster_id').notNullable();
    table.string('title', 255).notNullable();
    table.text('body', 'longtext').notNullable();
    table.boolean('is_closed').notNullable();
    table.boolean('is_locked').notNullable().defaultTo(false);
    table.string('ref', 255).notNullable().defaultTo('');
    table.integer('milestone_id').unsigned().nullable().references('id').inTable('milestone').onDelete('SET NULL');
    time(table, 'due_at');
    table.integer('comment_count').notNullable().defaultTo(0);
    table.integer('content_version').notNullable().defaultTo(0);
    table.integer('pin_order').notNullable().defaultTo(0);
    table.integer('time_estimate').notNullable().defaultTo(0);
    time(table, 'created_at');
    time(table, 'updated_at');
    time(table, 'closed_at');
    table.unique(['repository_id', 'number']);
    // lists of both kinds, and of one; in one state, and in both
    table.index(['repository_id', 'is_closed', 'created_at', 'id'], 'issue_newest');
    table.index(['repository_id', 'created_at', 'id'], 'issue_newest_in_all');
    table.index(['repository_id', 'is_pull', 'is_closed', 'created_at', 'id'], 'issue_newest_of_kind');
    table.index(['repository_id', 'is_pull', 'created_at', 'id'], 'issue_newest_of_kind_in_all');
    table.index(['repository_id', 'is_closed', 'is_pull', 'updated_at', 'id'], 'issue_updated');
    table.index(['repository_id', 'is_pull', 'pin_order'], 'issue_pinned');
    table.index(['is_closed', 'created_at', 'id'], 'issue_newest_anywhere');
    table.index(['poster_id', 'is_closed', 'created_at'], 'issue_by_poster');
    table.index(['milestone_id', 'is_closed'], 'issue_of_milestone');
  });
  await knex.schema.createTable('label', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().nullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('organization_id').unsigned().nullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('name', 100).notNullable();
    table.string('lower_name', 255).notNullable();
    table.string('color', 6).notNullable();
    table.string('description', 1024).notNullable();
    table.boolean('is_exclusive').notNullable();
    time(table, 'archived_at');
    time(table, 'created_at');
    table.index(['repository_id', 'lower_name', 'id'], 'label_of_repository');
    table.index(['organization_id', 'lower_name', 'id'], 'label_of_organization');
  });
  await knex.schema.createTable('issue_label', (table) => {
    table.increments('id');
    ofIssue(table);
    table.integer('label_id').unsigned().notNullable().references('id').inTable('label').onDelete('CASCADE');
    table.unique(['issue_id', 'label_id']);
    table.index(['label_id', 'issue_id'], 'issue_label_by_label');
  });
  await knex.schema.createTable('issue_assignee', (table) => {
    table.increments('id');
    ofIssue(table);
    table.integer('user_id').notNullable();
    table.unique(['issue_id', 'user_id']);
    table.index(['user_id', 'issue_id'], 'issue_assignee_by_user');
  });
  await knex.schema.createTable('issue_mention', (table) => {
    table.increments('id');
    ofIssue(table);
    table.integer('user_id').notNullable();
    table.unique(['issue_id', 'user_id']);
    table.index(['user_id', 'issue_id'], 'issue_mention_by_user');
  });
  await knex.schema.createTable('timeline_entry', (table) => {
    table.increments('id');
    ofIssue(table);
    ofRepository(table);
    table.string('kind', 40).notNullable();
    table.integer('actor_id').notNullable();
    table.text('body', 'longtext').notNullable();
    table.integer('subject_id').notNullable().defaultTo(0);
    table.text('data', 'longtext').nullable();
    table.string('once_key', 191).nullable();
    time(table, 'created_at');
    time(table, 'updated_at');
    table.unique(['issue_id', 'once_key']);
    table.index(['issue_id', 'kind', 'id'], 'timeline_entry_of_issue');
    table.index(['repository_id', 'kind', 'id'], 'timeline_entry_of_repository');
    table.index(['kind', 'subject_id'], 'timeline_entry_of_subject');
    table.index(['actor_id', 'kind'], 'timeline_entry_by_actor');
  });
  await knex.schema.createTable('text_version', (table) => {
    table.increments('id');
    ofIssue(table);
    table.integer('entry_id').unsigned().nullable().references('id').inTable('timeline_entry').onDelete('CASCADE');
    table.integer('editor_id').notNullable();
    table.text('body', 'longtext').notNullable();
    time(table, 'created_at');
    table.index(['issue_id', 'entry_id', 'id'], 'text_version_of_text');
    table.index(['entry_id'], 'text_version_of_entry');
  });
  await knex.schema.createTable('reaction', (table) => {
    table.increments('id');
    ofIssue(table);
    // 0: on the issue itself
    table.integer('entry_id').unsigned().notNullable().defaultTo(0);
    table.integer('user_id').notNullable();
    table.string('content', 40).notNullable();
    time(table, 'created_at');
    table.unique(['issue_id', 'entry_id', 'user_id', 'content']);
  });
  await knex.schema.createTable('issue_subscription', (table) => {
    table.increments('id');
    ofIssue(table);
    table.integer('user_id').notNullable();
    table.boolean('is_subscribed').notNullable();
    time(table, 'created_at');
    table.unique(['issue_id', 'user_id']);
    table.index(['user_id', 'is_subscribed'], 'issue_subscription_by_user');
  });
  await knex.schema.createTable('issue_dependency', (table) => {
    table.increments('id');
    ofIssue(table);
    ofIssue(table, 'depends_on_id');
    table.integer('actor_id').notNullable();
    time(table, 'created_at');
    table.unique(['issue_id', 'depends_on_id']);
    table.index(['depends_on_id', 'issue_id'], 'issue_dependency_blocks');
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of [
    'issue_dependency',
    'issue_subscription',
    'reaction',
    'text_version',
    'timeline_entry',
    'issue_mention',
    'issue_assignee',
    'issue_label',
    'label',
    'issue',
    'milestone',
    'issue_number',
  ])
    await knex.schema.dropTableIfExists(table);
}
