import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('branch_protection', 'options')) return;
  await knex.schema.alterTable('branch_protection', (table) => {
    // what other plugins add to rules, as JSON
    table.text('options').nullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('branch_protection', (table) => {
    table.dropColumn('options');
  });
}
