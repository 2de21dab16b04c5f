import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('user', (table) => {
    table.increments('id');
    table.string('kind', 16).notNullable().defaultTo('user');
    table.string('name', 64).notNullable();
    table.string('lower_name', 64).notNullable().unique();
    table.string('full_name', 255).notNullable().defaultTo('');
    table.string('email', 255).notNullable().defaultTo('');
    table.string('password_hash', 255).notNullable().defaultTo('');
    table.boolean('keep_email_private').notNullable().defaultTo(false);
    table.string('description', 255).notNullable().defaultTo('');
    table.string('location', 255).notNullable().defaultTo('');
    table.string('website', 255).notNullable().defaultTo('');
    table.string('language', 16).notNullable().defaultTo('');
    table.string('theme', 64).notNullable().defaultTo('');
    table.string('diff_view_style', 16).notNullable().defaultTo('');
    table.boolean('hide_activity').notNullable().defaultTo(false);
    table.string('visibility', 16).notNullable().defaultTo('public');
    table.boolean('is_admin').notNullable().defaultTo(false);
    table.boolean('is_active').notNullable().defaultTo(true);
    table.boolean('is_restricted').notNullable().defaultTo(false);
    table.boolean('prohibit_login').notNullable().defaultTo(false);
    table.boolean('must_change_password').notNullable().defaultTo(false);
    table.boolean('allow_create_organization').notNullable().defaultTo(true);
    table.boolean('allow_git_hook').notNullable().defaultTo(false);
    table.boolean('allow_import_local').notNullable().defaultTo(false);
    table.integer('max_repo_creation').notNullable().defaultTo(-1);
    table.integer('source_id').notNullable().defaultTo(0);
    table.string('login_name', 255).notNullable().defaultTo('');
    table.string('avatar', 64).notNullable().defaultTo('');
    table.integer('follower_count').notNullable().defaultTo(0);
    table.integer('following_count').notNullable().defaultTo(0);
    table.integer('starred_count').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.bigInteger('last_login_at').notNullable().defaultTo(0);
    table.index(['kind', 'lower_name']);
    table.index(['kind', 'is_admin']);
    table.index(['kind', 'created_at']);
    table.index(['source_id', 'login_name']);
    table.index(['avatar']);
  });
  await knex.schema.createTable('email_address', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('email', 255).notNullable();
    table.string('lower_email', 255).notNullable().unique();
    table.boolean('is_primary').notNullable().defaultTo(false);
    table.boolean('is_verified').notNullable().defaultTo(true);
    table.index(['user_id']);
  });
  await knex.schema.createTable('user_redirect', (table) => {
    table.string('lower_name', 64).notNullable().primary();
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.index(['user_id']);
  });
  await knex.schema.createTable('public_key', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('title', 255).notNullable();
    table.text('content').notNullable();
    table.string('fingerprint', 128).notNullable().unique();
    table.string('algorithm', 64).notNullable();
    table.boolean('read_only').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at').notNullable().defaultTo(0);
    table.index(['user_id', 'id']);
  });
  await knex.schema.createTable('user_follow', (table) => {
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.integer('followed_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.bigInteger('created_at').notNullable();
    table.primary(['user_id', 'followed_id']);
    table.index(['followed_id', 'user_id']);
  });
  await knex.schema.createTable('user_block', (table) => {
    table.integer('blocker_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.integer('blocked_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('note', 255).notNullable().defaultTo('');
    table.bigInteger('created_at').notNullable();
    table.primary(['blocker_id', 'blocked_id']);
    table.index(['blocked_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['user_block', 'user_follow', 'public_key', 'user_redirect', 'email_address', 'user']) {
    await knex.schema.dropTableIfExists(table);
  }
}
