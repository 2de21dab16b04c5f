import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  const ofIssue = (table: Knex.CreateTableBuilder) =>
    table.integer('issue_id').unsigned().notNullable().references('id').inTable('issue').onDelete('CASCADE');
  await knex.schema.createTable('tracked_time', (table) => {
    table.increments('id');
    ofIssue(table);
    table.integer('repository_id').unsigned().notNullable();
    table.integer('user_id').notNullable();
    table.integer('seconds').notNullable();
    // a deleted one is still named by the timeline
    table.boolean('is_deleted').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.index(['issue_id', 'is_deleted', 'id'], 'tracked_time_of_issue');
    table.index(['repository_id', 'is_deleted', 'id'], 'tracked_time_of_repository');
    table.index(['user_id', 'is_deleted', 'id'], 'tracked_time_of_user');
  });
  await knex.schema.createTable('stopwatch', (table) => {
    table.increments('id');
    ofIssue(table);
    // one at a time
    table.integer('user_id').notNullable().unique();
    table.bigInteger('started_at').notNullable();
    table.index(['issue_id'], 'stopwatch_of_issue');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('stopwatch');
  await knex.schema.dropTableIfExists('tracked_time');
}
