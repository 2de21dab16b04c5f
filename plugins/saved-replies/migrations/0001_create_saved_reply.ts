import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('saved_reply')) return;
  await knex.schema.createTable('saved_reply', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('title', 100).notNullable();
    table.text('text', 'mediumtext').notNullable();
    table.index(['user_id', 'id'], 'saved_reply_of_user');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('saved_reply');
}
