import { adoptState, type Knex } from '@mortise/plugin-sdk';

/** Until `contents` was split, the table and the rest belonged to it: a database of that time has them. */
export async function up(knex: Knex): Promise<void> {
  await adoptState(knex, {
    subscribers: { 'contents/move-head': 'refs/move-head' },
    events: { 'contents.branchRenamed': 'refs.branchRenamed' },
    migrations: ['contents/0001_create_deleted_branch'],
  });
  if (await knex.schema.hasTable('deleted_branch')) return;
  await knex.schema.createTable('deleted_branch', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable();
    table.string('name', 255).notNullable();
    table.string('oid', 64).notNullable();
    table.integer('deleted_by').notNullable().defaultTo(0);
    table.bigInteger('deleted_at').notNullable();
    table.index(['repository_id', 'deleted_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('deleted_branch');
}
