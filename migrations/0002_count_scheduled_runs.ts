import type { Knex } from 'knex';

/** When a schedule ran last (0: never), and how often. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('schedule', (table) => {
    table.bigInteger('last_at').notNullable().defaultTo(0);
    table.integer('run_count').notNullable().defaultTo(0);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('schedule', (table) => {
    table.dropColumn('last_at');
    table.dropColumn('run_count');
  });
}
