import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('mail_limit', (table) => {
    table.string('name', 64).notNullable().primary();
    table.integer('count').notNullable();
    table.bigInteger('ends_at').notNullable();
    table.index(['ends_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('mail_limit');
}
