import type { Knex } from '@mortise/plugin-sdk';

/** Until `stars` was split from `repositories`, that one made these tables: a database of that time has them. */
export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('star'))) await knex.schema.createTable('star', columns);
  if (!(await knex.schema.hasTable('watch'))) await knex.schema.createTable('watch', columns);
}

function columns(table: Knex.CreateTableBuilder): void {
  table.increments('id');
  table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
  table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
  table.bigInteger('created_at').notNullable();
  table.unique(['repository_id', 'user_id']);
  table.index(['user_id', 'created_at']);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('watch');
  await knex.schema.dropTableIfExists('star');
}
