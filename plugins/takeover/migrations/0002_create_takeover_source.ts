import type { Knex } from '@mortise/plugin-sdk';

/** Which server is taken over: one row, whose id is 1. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('takeover_source', (table) => {
    table.integer('id').notNullable().primary();
    table.string('digest', 43).notNullable();
    table.bigInteger('first_user_id').notNullable();
    table.bigInteger('first_user_created').notNullable();
    // its app.ini, for messages
    table.text('location').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('takeover_source');
}
