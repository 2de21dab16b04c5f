import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('deleted_branch', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable();
    table.string('name', 255).notNullable();
    table.string('oid', 64).notNullable();
    table.integer('deleted_by').notNullable().defaultTo(0);
    table.bigInteger('deleted_at').notNullable();
    table.index(['repository_id', 'deleted_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('deleted_branch');
}
