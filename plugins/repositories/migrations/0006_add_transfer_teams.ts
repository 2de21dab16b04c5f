import type { Knex } from '@mortise/plugin-sdk';

/** Teams of the recipient that get the repository with the transfer. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository_transfer', (table) => {
    table.text('team_ids').nullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository_transfer', (table) => {
    table.dropColumn('team_ids');
  });
}
