import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('repository', (table) => {
    table.increments('id');
    table.integer('owner_id').unsigned().notNullable().references('id').inTable('user');
    table.string('owner_name', 64).notNullable();
    table.string('lower_owner_name', 64).notNullable();
    table.string('name', 100).notNullable();
    table.string('lower_name', 100).notNullable();
    table.string('description', 2048).notNullable().defaultTo('');
    table.string('website', 1024).notNullable().defaultTo('');
    table.string('default_branch', 255).notNullable();
    table.boolean('is_private').notNullable().defaultTo(false);
    table.string('owner_visibility', 16).notNullable().defaultTo('public');
    table.boolean('is_template').notNullable().defaultTo(false);
    table.boolean('is_archived').notNullable().defaultTo(false);
    table.bigInteger('archived_at').notNullable().defaultTo(0);
    table.boolean('is_empty').notNullable().defaultTo(true);
    // False while the folder is being made: invisible, and swept when its maker died.
    table.boolean('is_ready').notNullable().defaultTo(false);
    table.integer('fork_of_id').unsigned().notNullable().defaultTo(0);
    table.string('object_format', 8).notNullable().defaultTo('sha1');
    table.string('avatar', 64).notNullable().defaultTo('');
    table.text('topics').notNullable();
    table.text('units').notNullable();
    table.string('language', 64).notNullable().defaultTo('');
    table.bigInteger('size_bytes').notNullable().defaultTo(0);
    for (const counter of ['star', 'watcher', 'fork', 'branch', 'release', 'open_issue', 'open_pull']) {
      table.integer(`${counter}_count`).notNullable().defaultTo(0);
    }
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['owner_id', 'lower_name']);
    table.unique(['lower_owner_name', 'lower_name']);
    table.index(['lower_name']);
    table.index(['is_private', 'updated_at']);
    table.index(['owner_id', 'updated_at']);
    table.index(['fork_of_id']);
    table.index(['is_ready', 'created_at']);
  });
  await knex.schema.createTable('repository_redirect', (table) => {
    table.increments('id');
    table.integer('owner_id').unsigned().notNullable();
    table.string('lower_name', 100).notNullable();
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.unique(['owner_id', 'lower_name']);
    table.index(['repository_id']);
  });
  await knex.schema.createTable('collaborator', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('mode', 16).notNullable();
    table.unique(['repository_id', 'user_id']);
    table.index(['user_id']);
  });
  await knex.schema.createTable('topic', (table) => {
    table.increments('id');
    table.string('name', 50).notNullable().unique();
    table.integer('repository_count').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
  });
  await knex.schema.createTable('repository_topic', (table) => {
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('topic_id').unsigned().notNullable().references('id').inTable('topic').onDelete('CASCADE');
    table.primary(['repository_id', 'topic_id']);
    table.index(['topic_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const name of ['repository_topic', 'topic', 'collaborator', 'repository_redirect', 'repository']) {
    await knex.schema.dropTableIfExists(name);
  }
}
