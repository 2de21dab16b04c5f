import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('review_viewed_file', (table) => {
    table.integer('issue_id').unsigned().notNullable().references('id').inTable('issue').onDelete('CASCADE');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    // digests: of the path, and of what was looked at
    table.string('path_hash', 40).notNullable();
    table.string('mark', 40).notNullable();
    table.primary(['issue_id', 'user_id', 'path_hash']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('review_viewed_file');
}
