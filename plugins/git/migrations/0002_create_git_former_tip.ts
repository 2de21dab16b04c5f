import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('git_former_tip', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable();
    table.string('kind', 8).notNullable();
    table.string('oid', 64).notNullable();
    table.bigInteger('replaced_at').notNullable();
    table.index(['repository_id', 'kind', 'oid']);
    table.index('replaced_at');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('git_former_tip');
}
