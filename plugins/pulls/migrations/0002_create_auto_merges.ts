import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('auto_merge', (table) => {
    table.integer('issue_id').unsigned().primary().references('issue_id').inTable('pull_request').onDelete('CASCADE');
    table.integer('user_id').notNullable();
    // what somebody looked at when they asked for it
    table.string('head_oid', 64).notNullable();
    table.string('style', 20).notNullable();
    table.text('title', 'mediumtext').notNullable();
    table.text('message', 'mediumtext').notNullable();
    // null: as the repository says
    table.boolean('delete_branch').nullable();
    table.bigInteger('created_at').notNullable();
    table.index(['user_id'], 'auto_merge_of_user');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('auto_merge');
}
