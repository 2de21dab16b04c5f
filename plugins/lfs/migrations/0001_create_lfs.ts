import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  const repositoryOf = (table: Knex.CreateTableBuilder) =>
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
  await knex.schema.createTable('lfs_object', (table) => {
    table.increments('id');
    repositoryOf(table);
    table.string('oid', 64).notNullable();
    table.bigInteger('size').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('seen_at').notNullable();
    table.unique(['repository_id', 'oid']);
    table.index(['oid']);
    table.index(['repository_id', 'seen_at']);
  });
  await knex.schema.createTable('lfs_upload', (table) => {
    table.increments('id');
    table.string('oid', 64).notNullable();
    table.bigInteger('started_at').notNullable();
    table.index(['oid']);
    table.index(['started_at']);
  });
  await knex.schema.createTable('lfs_lock', (table) => {
    table.increments('id');
    repositoryOf(table);
    table.integer('owner_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.text('path').notNullable();
    table.string('path_key', 64).notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['repository_id', 'path_key']);
    table.index(['repository_id', 'id']);
    table.index(['owner_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('lfs_lock');
  await knex.schema.dropTableIfExists('lfs_upload');
  await knex.schema.dropTableIfExists('lfs_object');
}
