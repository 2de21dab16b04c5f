import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('package_index_mark', (table) => {
    table.increments('id');
    table.integer('owner_id').unsigned().notNullable();
    table.string('type', 32).notNullable();
    table.string('part', 200).notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['owner_id', 'type']);
  });
  await knex.schema.createTable('package_signing_key', (table) => {
    table.increments('id');
    table.integer('owner_id').unsigned().notNullable();
    table.string('type', 32).notNullable();
    table.string('kind', 8).notNullable();
    table.text('public_key').notNullable();
    table.text('sealed_key').notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['owner_id', 'type', 'kind']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('package_signing_key');
  await knex.schema.dropTableIfExists('package_index_mark');
}
