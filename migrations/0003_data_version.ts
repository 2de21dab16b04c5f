import type { Knex } from 'knex';

/** Counts of commits by which processes learn which tables others changed. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('data_version', (table) => {
    table.string('process', 24).notNullable();
    table.integer('slot').notNullable();
    table.bigInteger('commits').notNullable();
    table.string('recent', 1500).notNullable();
    table.bigInteger('touched_at').notNullable();
    table.primary(['process', 'slot']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('data_version');
}
