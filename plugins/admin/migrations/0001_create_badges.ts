import type { Knex } from '@mortise/plugin-sdk';

/** Badges that administrators give to accounts. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('badge', (table) => {
    table.increments('id');
    table.string('slug', 100).notNullable().unique();
    table.string('description', 255).notNullable();
    table.string('image_url', 1000).notNullable();
  });
  await knex.schema.createTable('user_badge', (table) => {
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.integer('badge_id').unsigned().notNullable().references('id').inTable('badge').onDelete('CASCADE');
    table.primary(['user_id', 'badge_id']);
    table.index(['badge_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['user_badge', 'badge']) await knex.schema.dropTableIfExists(table);
}
