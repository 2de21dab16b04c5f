import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('release', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('author_id').notNullable();
    table.string('tag_name', 191).notNullable();
    table.string('lower_tag_name', 400).notNullable();
    table.string('target', 255).notNullable();
    table.string('title', 255).notNullable();
    table.string('lower_title', 520).notNullable();
    table.text('note', 'longtext').notNullable();
    table.text('tag_message', 'longtext').notNullable();
    table.string('state', 10).notNullable();
    table.boolean('is_prerelease').notNullable();
    table.text('pending', 'longtext').nullable();
    table.bigInteger('pending_at').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('published_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['repository_id', 'tag_name']);
    table.index(['repository_id', 'state', 'created_at', 'id'], 'release_newest');
    table.index(['repository_id', 'created_at', 'id'], 'release_all_newest');
    table.index(['pending_at'], 'release_pending');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('release');
}
