import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_run', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('owner_id').unsigned().notNullable();
    // counts from 1 in each repository
    table.integer('number').unsigned().notNullable();
    table.string('title', 255).notNullable();
    // name of the file below the folder of workflows
    table.string('workflow_id', 255).notNullable();
    table.string('workflow_name', 255).notNullable();
    // where the content of the workflow came from
    table.integer('workflow_repo_id').unsigned().notNullable();
    table.string('workflow_commit_sha', 64).notNullable();
    table.string('workflow_path', 500).notNullable();
    table.boolean('is_scoped_run').notNullable().defaultTo(false);
    table.string('ref', 500).notNullable();
    // without refs/heads/; empty of tags and pull requests
    table.string('head_branch', 255).notNullable().defaultTo('');
    table.string('commit_sha', 64).notNullable();
    // whose commit gets the statuses; empty: none does
    table.string('status_sha', 64).notNullable().defaultTo('');
    table.integer('pull_index').unsigned().notNullable().defaultTo(0);
    table.integer('trigger_user_id').notNullable();
    // the event as hooks know it, and the key below `on:`
    table.string('event', 50).notNullable();
    table.string('trigger_event', 50).notNullable();
    // the same event of the same thing starts a file once
    table.string('event_key', 191).nullable();
    table.boolean('is_fork').notNullable().defaultTo(false);
    table.boolean('need_approval').notNullable().defaultTo(false);
    // 0: nobody
    table.integer('approved_by').notNullable().defaultTo(0);
    table.integer('schedule_id').unsigned().notNullable().defaultTo(0);
    // how many runs led to this one by workflow_run
    table.integer('depth').unsigned().notNullable().defaultTo(0);
    table.text('raw_concurrency', 'mediumtext').notNullable();
    // why it failed before any job began; empty: it did not
    table.text('problem').notNullable();
    table.integer('status').notNullable();
    // 0: it was made before there were attempts
    table.integer('latest_attempt_id').unsigned().notNullable().defaultTo(0);
    table.integer('version').unsigned().notNullable().defaultTo(0);
    table.bigInteger('started_at').notNullable().defaultTo(0);
    table.bigInteger('stopped_at').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['repository_id', 'number'], { indexName: 'action_run_number' });
    table.unique(['repository_id', 'event_key'], { indexName: 'action_run_once' });
    table.index(['repository_id', 'id'], 'action_run_of_repository');
    table.index(['repository_id', 'status', 'id'], 'action_run_by_status');
    table.index(['repository_id', 'workflow_id', 'id'], 'action_run_by_workflow');
    table.index(['repository_id', 'trigger_user_id', 'id'], 'action_run_by_actor');
    table.index(['repository_id', 'head_branch', 'id'], 'action_run_by_branch');
    table.index(['repository_id', 'commit_sha', 'id'], 'action_run_by_commit');
    table.index(['owner_id', 'id'], 'action_run_of_owner');
    table.index(['status', 'id'], 'action_run_status');
  });
  // apart from the runs, so that lists do not read it
  await knex.schema.createTable('action_run_payload', (table) => {
    table.integer('run_id').unsigned().notNullable().primary();
    table.foreign('run_id').references('id').inTable('action_run').onDelete('CASCADE');
    table.text('payload', 'longtext').notNullable();
  });
  await knex.schema.createTable('action_run_attempt', (table) => {
    table.increments('id');
    table.integer('run_id').unsigned().notNullable().references('id').inTable('action_run').onDelete('CASCADE');
    table.integer('repository_id').unsigned().notNullable();
    table.integer('number').unsigned().notNullable();
    table.integer('trigger_user_id').notNullable();
    table.string('concurrency_group', 255).notNullable().defaultTo('');
    table.boolean('concurrency_cancel').notNullable().defaultTo(false);
    // its concurrency group holds it back
    table.boolean('is_held').notNullable().defaultTo(false);
    table.integer('status').notNullable();
    table.bigInteger('started_at').notNullable().defaultTo(0);
    table.bigInteger('stopped_at').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['run_id', 'number'], { indexName: 'action_run_attempt_number' });
    table.index(['repository_id', 'concurrency_group', 'status'], 'action_run_attempt_group');
  });
  await knex.schema.createTable('action_job', (table) => {
    table.increments('id');
    table.integer('run_id').unsigned().notNullable().references('id').inTable('action_run').onDelete('CASCADE');
    table.integer('repository_id').unsigned().notNullable();
    table.integer('owner_id').unsigned().notNullable();
    // 0: from before there were attempts
    table.integer('run_attempt_id').unsigned().notNullable();
    table.integer('attempt').unsigned().notNullable();
    // the same in all attempts of the run
    table.integer('attempt_job_id').unsigned().notNullable();
    table.string('name', 255).notNullable();
    table.string('job_id', 255).notNullable();
    table.text('needs', 'mediumtext').notNullable();
    table.text('runs_on', 'mediumtext').notNullable();
    // SHA-256 of the sorted labels; empty: none
    table.string('runs_on_key', 64).notNullable().defaultTo('');
    table.text('matrix', 'mediumtext').notNullable();
    table.integer('task_id').unsigned().notNullable().defaultTo(0);
    // result taken over from an earlier attempt
    table.integer('source_task_id').unsigned().notNullable().defaultTo(0);
    table.integer('status').notNullable();
    table.text('condition', 'mediumtext').notNullable();
    table.text('raw_concurrency', 'mediumtext').notNullable();
    table.boolean('is_concurrency_evaluated').notNullable().defaultTo(false);
    table.string('concurrency_group', 255).notNullable().defaultTo('');
    table.boolean('concurrency_cancel').notNullable().defaultTo(false);
    table.integer('max_parallel').unsigned().notNullable().defaultTo(0);
    table.text('token_permissions').nullable();
    table.boolean('continue_on_error').notNullable().defaultTo(false);
    // the job that called the workflow that this one is of; 0: none
    table.integer('parent_job_id').unsigned().notNullable().defaultTo(0);
    table.boolean('is_reusable_caller').notNullable().defaultTo(false);
    table.boolean('is_expanded').notNullable().defaultTo(false);
    // its matrix is known when its needs have ended
    table.boolean('is_deferred').notNullable().defaultTo(false);
    table.string('call_uses', 500).notNullable().defaultTo('');
    table.integer('workflow_repo_id').unsigned().notNullable();
    table.string('workflow_commit_sha', 64).notNullable();
    // why it failed without having run; empty: it did not
    table.text('problem').notNullable();
    table.bigInteger('started_at').notNullable().defaultTo(0);
    table.bigInteger('stopped_at').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['run_id', 'run_attempt_id', 'id'], 'action_job_of_run');
    table.index(['status', 'updated_at', 'id'], 'action_job_queue');
    table.index(['repository_id', 'status', 'updated_at', 'id'], 'action_job_queue_of_repository');
    table.index(['status', 'repository_id', 'runs_on_key', 'updated_at', 'id'], 'action_job_waiting');
    table.index(['owner_id', 'status', 'updated_at', 'id'], 'action_job_queue_of_owner');
    table.index(['repository_id', 'concurrency_group', 'status'], 'action_job_group');
    table.index(['repository_id', 'id'], 'action_job_of_repository');
    table.index(['owner_id', 'id'], 'action_job_of_owner');
    table.index('parent_job_id', 'action_job_parent');
  });
  // what one job is: apart from the jobs, so that lists and queues do not read it
  await knex.schema.createTable('action_job_payload', (table) => {
    table.integer('job_id').unsigned().notNullable().primary();
    table.foreign('job_id').references('id').inTable('action_job').onDelete('CASCADE');
    // YAML with exactly this job
    table.text('payload', 'longtext').notNullable();
    // of a caller: content of the workflow, and what it was called with, as JSON
    table.text('callee', 'longtext').nullable();
    table.text('call_payload', 'longtext').nullable();
    table.text('call_secrets', 'longtext').nullable();
  });
  await knex.schema.createTable('action_task', (table) => {
    table.increments('id');
    table.integer('job_id').unsigned().notNullable().references('id').inTable('action_job').onDelete('CASCADE');
    table.integer('repository_id').unsigned().notNullable();
    table.integer('owner_id').unsigned().notNullable();
    table.integer('run_id').unsigned().notNullable();
    table.integer('run_attempt_id').unsigned().notNullable();
    table.integer('attempt').unsigned().notNullable();
    table.integer('runner_id').unsigned().notNullable();
    table.integer('status').notNullable();
    table.string('commit_sha', 64).notNullable();
    table.boolean('is_fork').notNullable().defaultTo(false);
    table.string('token_hash', 128).notNullable();
    table.string('token_salt', 64).notNullable();
    table.string('token_last_eight', 8).notNullable();
    table.bigInteger('started_at').notNullable().defaultTo(0);
    table.bigInteger('stopped_at').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    // also the last sign of life of the runner
    table.bigInteger('updated_at').notNullable();
    table.index('job_id', 'action_task_of_job');
    table.index('token_last_eight', 'action_task_token');
    table.index(['runner_id', 'id'], 'action_task_of_runner');
    table.index(['runner_id', 'status'], 'action_task_of_runner_by_status');
    table.index(['status', 'updated_at'], 'action_task_alive');
    table.index(['status', 'started_at'], 'action_task_endless');
    table.index(['repository_id', 'id'], 'action_task_of_repository');
  });
  await knex.schema.createTable('action_task_step', (table) => {
    table.increments('id');
    table.integer('task_id').unsigned().notNullable().references('id').inTable('action_task').onDelete('CASCADE');
    table.integer('number').unsigned().notNullable();
    table.string('name', 255).notNullable();
    table.integer('status').notNullable();
    table.bigInteger('log_index').notNullable().defaultTo(0);
    table.bigInteger('log_length').notNullable().defaultTo(0);
    table.bigInteger('started_at').notNullable().defaultTo(0);
    table.bigInteger('stopped_at').notNullable().defaultTo(0);
    table.unique(['task_id', 'number'], { indexName: 'action_task_step_number' });
  });
  await knex.schema.createTable('action_task_output', (table) => {
    table.increments('id');
    table.integer('task_id').unsigned().notNullable().references('id').inTable('action_task').onDelete('CASCADE');
    table.string('output_key', 255).notNullable();
    table.text('output_value', 'longtext').notNullable();
    table.unique(['task_id', 'output_key'], { indexName: 'action_task_output_key' });
  });
  // the last number that a run of the repository got: numbers of deleted ones are not given again
  await knex.schema.createTable('action_run_counter', (table) => {
    table.integer('repository_id').unsigned().notNullable().primary();
    table.foreign('repository_id').references('id').inTable('repository').onDelete('CASCADE');
    table.integer('last_number').unsigned().notNullable();
  });
  await knex.schema.createTable('action_schedule', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('workflow_id', 255).notNullable();
    table.string('workflow_path', 500).notNullable();
    table.string('ref', 500).notNullable();
    table.string('commit_sha', 64).notNullable();
    table.text('content', 'longtext').notNullable();
    table.text('payload', 'longtext').notNullable();
    table.bigInteger('created_at').notNullable();
  });
  await knex.schema.createTable('action_schedule_spec', (table) => {
    table.increments('id');
    table
      .integer('schedule_id')
      .unsigned()
      .notNullable()
      .references('id')
      .inTable('action_schedule')
      .onDelete('CASCADE');
    table.integer('repository_id').unsigned().notNullable();
    table.string('spec', 255).notNullable();
    table.bigInteger('next_at').notNullable();
    // 0: never yet
    table.bigInteger('previous_at').notNullable().defaultTo(0);
    table.index(['next_at', 'id'], 'action_schedule_spec_due');
  });
  await knex.schema.createTable('action_scoped_source', (table) => {
    table.increments('id');
    // 0: for every repository
    table.integer('owner_id').unsigned().notNullable();
    table.integer('source_repo_id').unsigned().notNullable();
    table.foreign('source_repo_id').references('id').inTable('repository').onDelete('CASCADE');
    // file name → { required, patterns }
    table.text('workflow_configs', 'mediumtext').notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['owner_id', 'source_repo_id'], { indexName: 'action_scoped_source_of_owner' });
  });
  // workflows that are switched off
  await knex.schema.createTable('action_workflow_switch', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    // 0: the repository's own
    table.integer('source_repo_id').unsigned().notNullable();
    table.string('workflow_id', 255).notNullable();
    table.unique(['repository_id', 'source_repo_id', 'workflow_id'], { indexName: 'action_workflow_switch_key' });
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of [
    'action_workflow_switch',
    'action_scoped_source',
    'action_schedule_spec',
    'action_schedule',
    'action_run_counter',
    'action_task_output',
    'action_task_step',
    'action_task',
    'action_job_payload',
    'action_job',
    'action_run_attempt',
    'action_run_payload',
    'action_run',
  ])
    await knex.schema.dropTableIfExists(table);
}
