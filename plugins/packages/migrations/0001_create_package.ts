import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('package', (table) => {
    table.increments('id');
    table.integer('owner_id').unsigned().notNullable();
    table.integer('repository_id').unsigned().notNullable().defaultTo(0);
    table.string('type', 32).notNullable();
    table.string('name', 255).notNullable();
    table.string('lower_name', 255).notNullable();
    table.boolean('is_internal').notNullable().defaultTo(false);
    table.unique(['owner_id', 'type', 'lower_name']);
    table.index(['repository_id']);
  });
  await knex.schema.createTable('package_version', (table) => {
    table.increments('id');
    table.integer('package_id').unsigned().notNullable().references('id').inTable('package').onDelete('CASCADE');
    table.integer('creator_id').notNullable();
    table.string('version', 255).notNullable();
    table.string('lower_version', 255).notNullable();
    table.text('metadata', 'longtext').notNullable();
    table.boolean('is_internal').notNullable().defaultTo(false);
    table.integer('download_count').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.unique(['package_id', 'lower_version']);
    table.index(['package_id', 'id']);
  });
  await knex.schema.createTable('package_blob', (table) => {
    table.increments('id');
    table.bigInteger('size').notNullable();
    table.string('md5', 32).notNullable();
    table.string('sha1', 40).notNullable();
    table.string('sha256', 64).notNullable().unique();
    table.string('sha512', 128).notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['created_at']);
  });
  await knex.schema.createTable('package_file', (table) => {
    table.increments('id');
    table
      .integer('version_id')
      .unsigned()
      .notNullable()
      .references('id')
      .inTable('package_version')
      .onDelete('CASCADE');
    table.integer('blob_id').unsigned().notNullable().references('id').inTable('package_blob');
    table.string('name', 255).notNullable();
    table.string('lower_name', 255).notNullable();
    table.string('composite_key', 255).notNullable().defaultTo('');
    table.boolean('is_lead').notNullable().defaultTo(true);
    table.bigInteger('created_at').notNullable();
    table.unique(['version_id', 'lower_name', 'composite_key']);
    table.index(['blob_id']);
  });
  await knex.schema.createTable('package_property', (table) => {
    table.increments('id');
    table.string('ref_type', 8).notNullable();
    table.integer('ref_id').unsigned().notNullable();
    table.string('name', 128).notNullable();
    table.text('value').notNullable();
    table.index(['ref_type', 'ref_id', 'name']);
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['package_property', 'package_file', 'package_blob', 'package_version', 'package']) {
    await knex.schema.dropTableIfExists(table);
  }
}
