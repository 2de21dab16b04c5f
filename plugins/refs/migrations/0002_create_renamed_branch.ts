import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('renamed_branch')) return;
  await knex.schema.createTable('renamed_branch', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable();
    table.string('name', 255).notNullable();
    table.string('new_name', 255).notNullable();
    table.bigInteger('renamed_at').notNullable();
    table.index(['repository_id', 'name']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('renamed_branch');
}
