import type { Knex } from '@mortise/plugin-sdk';

/** Runs of a workflow are a repository's own or those of a scoped workflow: counted in the index alone. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_run', (table) => {
    table.index(['repository_id', 'workflow_id', 'is_scoped_run', 'id'], 'action_run_by_workflow_kind');
  });
  await knex.schema.alterTable('action_run', (table) => {
    table.dropIndex(['repository_id', 'workflow_id', 'id'], 'action_run_by_workflow');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_run', (table) => {
    table.index(['repository_id', 'workflow_id', 'id'], 'action_run_by_workflow');
  });
  await knex.schema.alterTable('action_run', (table) => {
    table.dropIndex(['repository_id', 'workflow_id', 'is_scoped_run', 'id'], 'action_run_by_workflow_kind');
  });
}
