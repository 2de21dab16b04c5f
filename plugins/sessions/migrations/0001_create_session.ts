import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('session', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('token_hash', 64).notNullable().unique();
    table.string('user_agent', 255).notNullable().defaultTo('');
    table.string('remote_address', 64).notNullable().defaultTo('');
    table.boolean('is_remembered').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.index(['user_id', 'id']);
    table.index(['expires_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('session');
}
