import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_job_payload', (table) => {
    // of jobs from before: their payload is read
    table.text('step_names', 'longtext').nullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_job_payload', (table) => table.dropColumn('step_names'));
}
