import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  const ofRepository = (table: Knex.CreateTableBuilder) =>
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
  await knex.schema.createTable('repository_import', (table) => {
    table.increments('id');
    ofRepository(table).unique();
    table.integer('user_id').notNullable();
    // of those that were begun together; empty: alone
    table.string('batch', 40).notNullable();
    table.string('service', 40).notNullable();
    table.string('address', 2048).notNullable();
    table.text('options', 'mediumtext').notNullable();
    // credentials, encrypted, until it has ended
    table.text('secret', 'mediumtext').notNullable();
    table.string('state', 10).notNullable();
    table.text('error').notNullable();
    table.string('run', 40).notNullable();
    table.integer('pauses').notNullable().defaultTo(0);
    table.bigInteger('resumes_at').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['user_id', 'id'], 'repository_import_of_user');
    table.index(['state', 'updated_at'], 'repository_import_by_state');
  });
  await knex.schema.createTable('repository_import_step', (table) => {
    table.increments('id');
    ofRepository(table);
    table.string('step', 20).notNullable();
    table.string('state', 10).notNullable();
    table.string('position', 1000).notNullable();
    table.integer('done').notNullable();
    table.integer('total').notNullable();
    table.text('note').notNullable();
    table.unique(['repository_id', 'step']);
  });
  // what was written, by the digest of what the source calls it: only while the import goes on
  await knex.schema.createTable('repository_import_item', (table) => {
    table.increments('id');
    ofRepository(table);
    table.string('kind', 20).notNullable();
    table.string('digest', 40).notNullable();
    table.integer('local_id').notNullable();
    // of issues and pull requests; else 0
    table.integer('number').notNullable();
    table.unique(['repository_id', 'digest']);
    table.index(['repository_id', 'kind', 'number'], 'repository_import_item_by_number');
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['repository_import_item', 'repository_import_step', 'repository_import'])
    await knex.schema.dropTableIfExists(table);
}
