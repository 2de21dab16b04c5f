import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('pull_mirror', (table) => {
    common(table);
    table.boolean('prune').notNullable();
    table.boolean('wiki').notNullable();
    table.unique(['repository_id']);
  });
  await knex.schema.createTable('push_mirror', (table) => {
    common(table);
    table.string('name', 40).notNullable();
    table.boolean('sync_on_commit').notNullable();
    table.text('public_key').notNullable();
    table.text('known_hosts').notNullable();
    table.unique(['repository_id', 'name']);
  });
  await knex.schema.createTable('mirror_run', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('push_mirror_id').unsigned().references('id').inTable('push_mirror').onDelete('CASCADE');
    table.string('state', 12).notNullable();
    table.string('started_by', 12).notNullable();
    table.bigInteger('started_at').notNullable();
    table.bigInteger('ended_at').notNullable().defaultTo(0);
    table.text('error').notNullable();
    table.text('changes').notNullable();
    table.index(['repository_id', 'id']);
  });
}

function common(table: Knex.CreateTableBuilder): void {
  table.increments('id');
  table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
  table.string('remote_url', 2048).notNullable();
  table.text('credentials').notNullable();
  table.bigInteger('interval').notNullable();
  table.string('branches', 1000).notNullable();
  table.boolean('lfs').notNullable();
  table.integer('failures').notNullable().defaultTo(0);
  table.text('last_error').notNullable();
  table.bigInteger('last_run_at').notNullable().defaultTo(0);
  table.bigInteger('last_success_at').notNullable().defaultTo(0);
  table.bigInteger('next_run_at').notNullable().defaultTo(0);
  table.bigInteger('created_at').notNullable();
  table.index(['next_run_at']);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('mirror_run');
  await knex.schema.dropTableIfExists('push_mirror');
  await knex.schema.dropTableIfExists('pull_mirror');
}
