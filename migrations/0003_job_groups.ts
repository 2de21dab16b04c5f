import type { Knex } from 'knex';

/** Jobs of which only so many of one group, for instance of one account, run at once. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('job', (table) => {
    table.string('group_key', 64);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('job', (table) => {
    table.dropColumn('group_key');
  });
}
