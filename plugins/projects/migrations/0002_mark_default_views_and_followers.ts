import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('project_view', (table) => {
    // the view that a board opens with; at most one of a board
    table.boolean('is_default').notNullable().defaultTo(false);
  });
  // who is notified of what happens on a board
  await knex.schema.createTable('project_follower', (table) => {
    table.increments('id');
    table.integer('project_id').unsigned().notNullable().references('id').inTable('project').onDelete('CASCADE');
    table.integer('user_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['project_id', 'user_id'], { indexName: 'project_follower_once' });
    table.index(['user_id'], 'project_follower_user');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('project_follower');
  await knex.schema.alterTable('project_view', (table) => {
    table.dropColumn('is_default');
  });
}
