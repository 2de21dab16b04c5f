import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('webhook', (table) => {
    table.increments('id');
    table.string('owner_kind', 16).notNullable();
    table.integer('owner_id').unsigned().notNullable().defaultTo(0);
    table.string('kind', 32).notNullable();
    table.string('name', 255).notNullable().defaultTo('');
    table.text('url').notNullable();
    table.string('method', 8).notNullable().defaultTo('POST');
    table.string('content_type', 8).notNullable().defaultTo('json');
    table.text('events').notNullable();
    table.text('branch_filter').notNullable();
    table.text('secret').notNullable();
    table.text('authorization').notNullable();
    table.text('settings').notNullable();
    table.boolean('active').notNullable().defaultTo(false);
    table.string('last_status', 16).notNullable().defaultTo('none');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['owner_kind', 'owner_id', 'id']);
  });
  await knex.schema.createTable('hook_delivery', (table) => {
    table.increments('id');
    table.integer('hook_id').unsigned().notNullable().references('id').inTable('webhook').onDelete('CASCADE');
    table.string('uuid', 36).notNullable();
    table.string('once_key', 191).nullable();
    table.string('event', 64).notNullable();
    table.string('event_type', 64).notNullable();
    table.text('payload', 'longtext').notNullable();
    table.string('state', 16).notNullable().defaultTo('waiting');
    table.integer('attempts').notNullable().defaultTo(0);
    table.text('request', 'longtext').nullable();
    table.text('response', 'longtext').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('delivered_at').notNullable().defaultTo(0);
    table.unique(['hook_id', 'once_key']);
    table.index(['hook_id', 'id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('hook_delivery');
  await knex.schema.dropTableIfExists('webhook');
}
