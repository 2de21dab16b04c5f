import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_environment', (table) => {
    // ids, as JSON
    table.string('reviewer_teams', 255).notNullable().defaultTo('[]');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('action_environment', (table) => table.dropColumn('reviewer_teams'));
}
