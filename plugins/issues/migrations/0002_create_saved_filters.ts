import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('issue_filter', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    // null: across repositories
    table.integer('repository_id').unsigned().nullable().references('id').inTable('repository').onDelete('CASCADE');
    table.boolean('is_pull').notNullable();
    table.string('name', 100).notNullable();
    table.string('query', 1000).notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['user_id', 'repository_id', 'is_pull', 'id'], 'issue_filter_of_user');
    table.index(['repository_id'], 'issue_filter_of_repository');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('issue_filter');
}
