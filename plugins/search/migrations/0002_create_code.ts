import type { Knex } from '@mortise/plugin-sdk';

const ofRepository = (table: Knex.CreateTableBuilder) =>
  table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('search_tree', (table) => {
    ofRepository(table).primary();
    table.string('branch', 255).notNullable();
    // of the branch, as far as it is indexed
    table.string('commit_id', 64).notNullable();
  });
  await knex.schema.createTable('search_file', (table) => {
    table.increments('id');
    ofRepository(table);
    table.text('path').notNullable();
    // a digest of the path
    table.string('path_key', 40).notNullable();
    table.string('oid', 64).notNullable();
    // the commit of the pass that saw it last, abbreviated
    table.string('seen_in', 12).notNullable();
    table.unique(['repository_id', 'path_key']);
    table.index(['repository_id', 'seen_in'], 'search_file_seen');
  });
  await knex.schema.createTable('search_commit', (table) => {
    table.increments('id');
    ofRepository(table);
    table.string('oid', 64).notNullable();
    table.string('seen_in', 12).notNullable();
    table.unique(['repository_id', 'oid']);
    table.index(['repository_id', 'seen_in'], 'search_commit_seen');
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['search_commit', 'search_file', 'search_tree']) await knex.schema.dropTableIfExists(table);
}
