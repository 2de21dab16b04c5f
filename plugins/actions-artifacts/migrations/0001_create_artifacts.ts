import type { Knex } from '@mortise/plugin-sdk';

/** Rows that name content in the storage have no foreign keys: a cascade would forget the content. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_upload', (table) => {
    table.increments('id');
    table.string('area', 40).notNullable();
    // hashes of the names of blocks, in the order in which they make up the whole
    table.text('block_list', 'mediumtext').nullable();
    table.bigInteger('received').notNullable().defaultTo(0);
    table.integer('parts').unsigned().notNullable().defaultTo(0);
    table.bigInteger('updated_at').notNullable();
    table.index('updated_at');
  });
  await knex.schema.createTable('action_upload_part', (table) => {
    table.increments('id');
    table.integer('upload_id').unsigned().notNullable();
    table.string('block_hash', 64).notNullable();
    // where it begins; null: its place is told by the list
    table.bigInteger('start').nullable();
    table.bigInteger('size').notNullable();
    table.string('sha256', 64).notNullable();
    table.string('key', 200).notNullable().unique();
    table.unique(['upload_id', 'block_hash'], { indexName: 'action_upload_part_block' });
  });
  await knex.schema.createTable('action_artifact', (table) => {
    table.increments('id');
    table.integer('run_id').unsigned().notNullable();
    table.integer('run_attempt_id').unsigned().notNullable();
    table.integer('repository_id').unsigned().notNullable();
    table.string('commit_sha', 64).notNullable();
    table.string('name', 255).notNullable();
    // of a file of the older protocol, below the name; empty: the artifact is one whole
    table.string('path', 1000).notNullable();
    table.string('place_hash', 64).notNullable();
    table.integer('status').unsigned().notNullable();
    table.bigInteger('size').notNullable().defaultTo(0);
    table.bigInteger('stored_size').notNullable().defaultTo(0);
    table.string('content_type', 255).notNullable().defaultTo('');
    table.string('content_encoding', 20).notNullable().defaultTo('');
    table.string('key', 200).notNullable().defaultTo('');
    table.integer('upload_id').unsigned().notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.unique(['run_attempt_id', 'run_id', 'place_hash'], { indexName: 'action_artifact_place' });
    table.index(['repository_id', 'id'], 'action_artifact_of_repository');
    table.index(['run_id', 'id'], 'action_artifact_of_run');
    table.index(['status', 'expires_at'], 'action_artifact_expiry');
    table.index('key', 'action_artifact_key');
  });
  await knex.schema.createTable('action_cache', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable();
    table.string('scope', 500).notNullable();
    table.string('cache_key', 512).notNullable();
    table.string('version', 512).notNullable();
    table.string('place_hash', 64).notNullable();
    // of scope and version: what restore keys are looked for among
    table.string('shelf_hash', 64).notNullable();
    table.boolean('is_complete').notNullable().defaultTo(false);
    table.bigInteger('size').notNullable().defaultTo(0);
    table.string('key', 200).notNullable().defaultTo('');
    table.integer('upload_id').unsigned().notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('used_at').notNullable();
    table.unique(['repository_id', 'place_hash'], { indexName: 'action_cache_place' });
    table.index(['repository_id', 'shelf_hash', 'created_at'], 'action_cache_shelf');
    table.index(['repository_id', 'used_at'], 'action_cache_age');
    table.index(['is_complete', 'used_at'], 'action_cache_unused');
    table.index('key', 'action_cache_key');
  });
  await knex.schema.createTable('action_summary', (table) => {
    table.increments('id');
    table.integer('job_id').unsigned().notNullable().references('id').inTable('action_job').onDelete('CASCADE');
    table.integer('step').unsigned().notNullable();
    table.text('content', 'longtext').notNullable();
    table.integer('size').unsigned().notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['job_id', 'step'], { indexName: 'action_summary_step' });
  });
  // content that nothing refers to any more
  await knex.schema.createTable('action_leftover', (table) => {
    table.increments('id');
    table.string('area', 40).notNullable();
    table.string('key', 200).notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of [
    'action_leftover',
    'action_summary',
    'action_cache',
    'action_artifact',
    'action_upload_part',
    'action_upload',
  ])
    await knex.schema.dropTableIfExists(table);
}
