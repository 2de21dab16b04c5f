import type { Knex } from '@mortise/plugin-sdk';

/** How the login source that has begun a session knows it. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('session', 'source_key')) return;
  await knex.schema.alterTable('session', (table) => {
    table.string('source_key', 64).nullable().index();
    table.text('source_session').nullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('session', (table) => {
    table.dropColumn('source_session');
    table.dropIndex('source_key');
    table.dropColumn('source_key');
  });
}
