import type { Knex } from '@mortise/plugin-sdk';

/** Who has stopped watching a repository, which then does not begin again by itself. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('declined_watch', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.unique(['repository_id', 'user_id']);
    table.index(['user_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('declined_watch');
}
