import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_run_payload', (table) => {
    // of runs from before: the texts of the event are taken
    table.text('inputs', 'longtext').nullable();
  });
  await knex.schema.alterTable('action_job', (table) => {
    table.text('strategy').nullable();
    table.bigInteger('timeout_ms').notNullable().defaultTo(0);
    // of jobs from before: their name is taken
    table.string('context_name', 500).notNullable().defaultTo('');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_job', (table) => table.dropColumns('strategy', 'timeout_ms', 'context_name'));
  await knex.schema.alterTable('action_run_payload', (table) => table.dropColumn('inputs'));
}
