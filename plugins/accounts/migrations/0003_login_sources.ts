import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('login_source', (table) => {
    table.increments('id');
    table.string('kind', 50).notNullable();
    table.string('name', 100).notNullable().unique();
    table.boolean('is_active').notNullable();
    table.boolean('is_sync_enabled').notNullable();
    table.boolean('skips_second_factor').notNullable();
    // JSON; secrets in it are sealed
    table.text('settings').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('login_source');
}
