import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('activity', (table) => {
    table.increments('id');
    table.integer('actor_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('kind', 40).notNullable();
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('ref', 1024).notNullable().defaultTo('');
    table.text('content', 'mediumtext').notNullable();
    table.integer('comment_id').unsigned().notNullable().defaultTo(0);
    table.boolean('is_private').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.string('once_key', 191).nullable().unique();
    table.index(['repository_id', 'created_at', 'id']);
    table.index(['actor_id', 'created_at', 'is_private']);
  });
  // In whose feeds an entry is; repeats what feeds are filtered by, so that one index answers them.
  await knex.schema.createTable('activity_receiver', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.integer('activity_id').unsigned().notNullable().references('id').inTable('activity').onDelete('CASCADE');
    table.integer('actor_id').unsigned().notNullable();
    table.integer('repository_id').unsigned().notNullable();
    table.boolean('is_private').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.unique(['activity_id', 'user_id']);
    table.index(['user_id', 'created_at', 'activity_id', 'is_private', 'actor_id'], 'activity_receiver_feed');
    table.index(['user_id', 'is_private', 'repository_id'], 'activity_receiver_private');
    table.index(['repository_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['activity_receiver', 'activity']) await knex.schema.dropTableIfExists(table);
}
