import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_environment', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('name', 255).notNullable();
    table.string('lower_name', 255).notNullable();
    // ids of accounts, as JSON
    table.text('reviewers').notNullable();
    table.boolean('prevents_self_review').notNullable().defaultTo(false);
    table.integer('wait_minutes').unsigned().notNullable().defaultTo(0);
    // JSON; none: all branches and tags
    table.text('branch_patterns').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['repository_id', 'lower_name'], { indexName: 'action_environment_name' });
  });
  await knex.schema.createTable('action_deployment', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable();
    table
      .integer('environment_id')
      .unsigned()
      .notNullable()
      .references('id')
      .inTable('action_environment')
      .onDelete('CASCADE');
    table.integer('run_id').unsigned().notNullable().references('id').inTable('action_run').onDelete('CASCADE');
    table.integer('attempt').unsigned().notNullable();
    table.integer('job_id').unsigned().notNullable();
    table.integer('creator_id').notNullable();
    table.string('ref', 500).notNullable();
    table.string('commit_sha', 64).notNullable();
    // of the job
    table.integer('status').notNullable();
    // where it can be seen, as the runner reports it; empty: nothing was reported
    table.string('url', 2000).notNullable().defaultTo('');
    // pending, approved or rejected
    table.string('review', 10).notNullable();
    // 0: nobody
    table.integer('reviewer_id').notNullable().defaultTo(0);
    table.text('comment').notNullable();
    table.bigInteger('reviewed_at').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['job_id'], { indexName: 'action_deployment_job' });
    table.index(['environment_id', 'status', 'id'], 'action_deployment_by_status');
    table.index(['environment_id', 'id'], 'action_deployment_of_environment');
    table.index(['repository_id', 'id'], 'action_deployment_of_repository');
    table.index(['run_id', 'attempt'], 'action_deployment_of_run');
  });
  await knex.schema.alterTable('action_job', (table) => {
    table.string('environment', 255).notNullable().defaultTo('');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_job', (table) => table.dropColumn('environment'));
  await knex.schema.dropTable('action_deployment');
  await knex.schema.dropTable('action_environment');
}
