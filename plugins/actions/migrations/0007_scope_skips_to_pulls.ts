import type { Knex } from '@mortise/plugin-sdk';

const skips = 'action_scoped_skip';

function columns(table: Knex.CreateTableBuilder): void {
  table.increments('id');
  table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
  table.integer('source_repo_id').unsigned().notNullable();
  table.foreign('source_repo_id').references('id').inTable('repository').onDelete('CASCADE');
  table.string('workflow_id', 255).notNullable();
  table.string('commit_sha', 64).notNullable();
  table.string('context', 255).notNullable();
}

/** Filters look at the base of a pull request: what they left out for one says nothing of another, nor of another base. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_run', (table) => {
    // base branch of its pull request as it was then; empty: it is not of one
    table.string('pull_base', 255).notNullable().defaultTo('');
  });
  // of the rows that there are nobody knows which pull request they are of
  await knex.schema.dropTable(skips);
  await knex.schema.createTable(skips, (table) => {
    columns(table);
    table.integer('pull_index').unsigned().notNullable();
    table.string('base_branch', 255).notNullable();
    table.unique(['repository_id', 'commit_sha', 'pull_index', 'source_repo_id', 'workflow_id', 'context'], {
      indexName: 'action_scoped_skip_key',
    });
    table.index(['source_repo_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable(skips);
  await knex.schema.createTable(skips, (table) => {
    columns(table);
    table.unique(['repository_id', 'commit_sha', 'source_repo_id', 'workflow_id', 'context'], {
      indexName: 'action_scoped_skip_key',
    });
    table.index(['source_repo_id']);
  });
  // a builder of tables would copy it on SQLite, and take away what refers to its rows
  await knex.raw('alter table action_run drop column pull_base');
}
