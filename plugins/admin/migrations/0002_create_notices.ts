import type { Knex } from '@mortise/plugin-sdk';

/** What went wrong in the background. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('site_notice', (table) => {
    table.increments('id');
    table.string('kind', 32).notNullable();
    table.text('text').notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['created_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('site_notice');
}
