import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.text('licenses');
  });
  await knex.schema.createTable('git_hook', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('name', 32).notNullable();
    table.text('content', 'mediumtext').notNullable();
    table.unique(['repository_id', 'name']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('git_hook');
  await knex.schema.alterTable('repository', (table) => {
    table.dropColumn('licenses');
  });
}
