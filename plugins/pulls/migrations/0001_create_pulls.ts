import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('pull_request', (table) => {
    table.integer('issue_id').unsigned().primary().references('id').inTable('issue').onDelete('CASCADE');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('number').notNullable();
    table.string('base_branch', 255).notNullable();
    // null: that repository is gone
    table
      .integer('head_repository_id')
      .unsigned()
      .nullable()
      .references('id')
      .inTable('repository')
      .onDelete('SET NULL');
    table.string('head_branch', 255).notNullable();
    table.string('flow', 10).notNullable();
    table.string('head_oid', 64).notNullable();
    table.string('base_oid', 64).notNullable();
    table.string('merge_base', 64).notNullable();
    table.string('merge_state', 10).notNullable();
    table.text('conflicts', 'mediumtext').nullable();
    table.integer('commit_count').notNullable();
    table.integer('changed_files').notNullable();
    table.integer('additions').notNullable();
    table.integer('deletions').notNullable();
    table.integer('version').notNullable();
    table.boolean('is_open').notNullable();
    // of those between the same branches one may be open
    table.string('open_key', 64).nullable().unique();
    table.boolean('is_draft').notNullable();
    table.boolean('allow_maintainer_edit').notNullable();
    table.boolean('is_merged').notNullable();
    table.bigInteger('merged_at').notNullable();
    table.integer('merger_id').notNullable();
    table.string('merge_commit', 64).notNullable();
    table.string('merge_style', 20).notNullable();
    // how the branch was to be deleted after it was merged, until that is done
    table.boolean('deletes_branch').notNullable().defaultTo(false);
    table.index(['repository_id', 'is_open', 'base_branch'], 'pull_request_into');
    table.index(['head_repository_id', 'head_branch', 'is_open'], 'pull_request_from');
    table.index(['repository_id', 'base_branch', 'issue_id'], 'pull_request_of_branch');
    table.index(['repository_id', 'merge_commit'], 'pull_request_of_merge');
    table.index(['repository_id', 'head_oid'], 'pull_request_of_head');
    table.index(['merge_state', 'is_open'], 'pull_request_waiting');
  });
  await knex.schema.createTable('pull_version', (table) => {
    table.increments('id');
    table
      .integer('issue_id')
      .unsigned()
      .notNullable()
      .references('issue_id')
      .inTable('pull_request')
      .onDelete('CASCADE');
    table.integer('number').notNullable();
    table.string('head_oid', 64).notNullable();
    table.string('merge_base', 64).notNullable();
    table.integer('pusher_id').notNullable();
    table.boolean('is_forced').notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['issue_id', 'number']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('pull_version');
  await knex.schema.dropTableIfExists('pull_request');
}
