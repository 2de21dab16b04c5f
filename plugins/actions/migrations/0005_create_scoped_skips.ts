import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  // jobs of scoped workflows that a filter left out: nothing else tells that the source itself said so
  await knex.schema.createTable('action_scoped_skip', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('source_repo_id').unsigned().notNullable();
    table.foreign('source_repo_id').references('id').inTable('repository').onDelete('CASCADE');
    table.string('workflow_id', 255).notNullable();
    table.string('commit_sha', 64).notNullable();
    table.string('context', 255).notNullable();
    table.unique(['repository_id', 'commit_sha', 'source_repo_id', 'workflow_id', 'context'], {
      indexName: 'action_scoped_skip_key',
    });
    table.index(['source_repo_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('action_scoped_skip');
}
