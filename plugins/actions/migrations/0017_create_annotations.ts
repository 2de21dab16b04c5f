import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_annotation', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable();
    table.integer('run_id').unsigned().notNullable().references('id').inTable('action_run').onDelete('CASCADE');
    table.integer('task_id').unsigned().notNullable();
    // whose lines it is about
    table.string('commit_sha', 64).notNullable();
    // error, warning or notice
    table.string('level', 10).notNullable();
    // below the root of the repository; empty: it is about no file
    table.string('path', 500).notNullable().defaultTo('');
    // 0: it is about no line
    table.integer('line').unsigned().notNullable().defaultTo(0);
    table.integer('end_line').unsigned().notNullable().defaultTo(0);
    table.string('title', 255).notNullable().defaultTo('');
    table.text('message').notNullable();
    // where it stands in the log, from 0
    table.integer('log_line').unsigned().notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['task_id', 'id'], 'action_annotation_of_task');
    table.index(['repository_id', 'commit_sha', 'id'], 'action_annotation_of_commit');
  });
  await knex.schema.alterTable('action_log', (table) => {
    // what a job has said that ends the lines in which commands are none; empty: they are some
    table.string('stop_token', 255).notNullable().defaultTo('');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_log', (table) => table.dropColumn('stop_token'));
  await knex.schema.dropTable('action_annotation');
}
