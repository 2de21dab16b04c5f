import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  const ofIssue = (table: Knex.CreateTableBuilder) =>
    table.integer('issue_id').unsigned().notNullable().references('id').inTable('issue').onDelete('CASCADE');
  await knex.schema.createTable('review', (table) => {
    table.increments('id');
    ofIssue(table);
    table.integer('repository_id').unsigned().notNullable();
    table.string('state', 10).notNullable();
    // one of the two is 0
    table.integer('reviewer_id').notNullable();
    table.integer('team_id').notNullable().defaultTo(0);
    table.text('body', 'mediumtext').notNullable();
    table.string('commit_id', 64).notNullable();
    // where head and base parted then; empty: as the version says
    table.string('merge_base', 64).notNullable().defaultTo('');
    table.integer('version').notNullable();
    table.boolean('is_official').notNullable();
    table.boolean('is_stale').notNullable().defaultTo(false);
    table.boolean('is_dismissed').notNullable().defaultTo(false);
    // a digest of the head and of where it leaves the base, which is_stale is known for
    table.string('seen_head', 64).notNullable().defaultTo('');
    table.integer('entry_id').notNullable().defaultTo(0);
    // one pending review and one request for each person
    table.string('once_key', 64).nullable().unique();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['issue_id', 'id'], 'review_of_issue');
    table.index(['reviewer_id', 'state', 'issue_id'], 'review_of_person');
    table.index(['team_id', 'state', 'issue_id'], 'review_of_team');
  });
  await knex.schema.createTable('review_comment', (table) => {
    table.integer('entry_id').unsigned().primary().references('id').inTable('timeline_entry').onDelete('CASCADE');
    table.integer('review_id').unsigned().notNullable().references('id').inTable('review').onDelete('CASCADE');
    ofIssue(table);
    table.integer('author_id').notNullable();
    // the comment that began the conversation
    table.integer('thread_id').notNullable();
    table.text('body', 'mediumtext').notNullable();
    table.string('side', 3).notNullable();
    table.text('path').notNullable();
    table.integer('line').notNullable();
    table.integer('start_line').notNullable();
    table.string('commit_id', 64).notNullable();
    table.text('original_path').notNullable();
    table.integer('original_line').notNullable();
    table.integer('original_start_line').notNullable();
    table.string('original_commit_id', 64).notNullable();
    table.boolean('is_outdated').notNullable().defaultTo(false);
    table.text('hunk', 'mediumtext').notNullable();
    table.integer('resolver_id').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['review_id', 'entry_id'], 'review_comment_of_review');
    table.index(['issue_id', 'entry_id'], 'review_comment_of_issue');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('review_comment');
  await knex.schema.dropTableIfExists('review');
}
