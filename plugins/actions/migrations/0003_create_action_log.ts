import type { Knex } from '@mortise/plugin-sdk';

/** No foreign keys to tasks: content in the storage has to be removed with the rows, and a cascade would forget it. */
export async function up(knex: Knex): Promise<void> {
  const isMySql = (knex.client as { dialect: string }).dialect === 'mysql';
  if (!(await knex.schema.hasTable('action_log')))
    await knex.schema.createTable('action_log', (table) => {
      table.integer('task_id').unsigned().notNullable().primary();
      table.string('stage', 10).notNullable();
      table.integer('lines').unsigned().notNullable().defaultTo(0);
      table.integer('kept_lines').unsigned().notNullable().defaultTo(0);
      table.bigInteger('bytes').notNullable().defaultTo(0);
      table.integer('packed_lines').unsigned().notNullable().defaultTo(0);
      table.bigInteger('packed_bytes').notNullable().defaultTo(0);
      table.bigInteger('updated_at').notNullable();
      table.index(['stage', 'updated_at']);
    });
  if (!(await knex.schema.hasTable('action_log_tail')))
    await knex.schema.createTable('action_log_tail', (table) => {
      table.increments('id');
      table.integer('task_id').unsigned().notNullable();
      table.integer('first_line').unsigned().notNullable();
      table.integer('lines').unsigned().notNullable();
      table.integer('bytes').unsigned().notNullable();
      table.specificType('data', isMySql ? 'mediumblob' : 'blob').notNullable();
      table.unique(['task_id', 'first_line']);
    });
  if (!(await knex.schema.hasTable('action_log_segment')))
    await knex.schema.createTable('action_log_segment', (table) => {
      table.increments('id');
      table.integer('task_id').unsigned().notNullable();
      table.integer('first_line').unsigned().notNullable();
      table.integer('lines').unsigned().notNullable();
      table.integer('bytes').unsigned().notNullable();
      table.integer('stored_bytes').unsigned().notNullable();
      table.string('key', 200).notNullable().unique();
      table.string('packing', 10).notNullable();
      table.text('frames', 'mediumtext').notNullable();
      table.unique(['task_id', 'first_line']);
    });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['action_log_segment', 'action_log_tail', 'action_log'])
    await knex.schema.dropTableIfExists(table);
}
