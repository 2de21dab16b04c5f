import type { Knex } from '@mortise/plugin-sdk';

/** Few repositories of a site are templates, and the page of a new one lists them. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => {
    table.index(['is_template', 'updated_at'], 'repository_templates');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('repository', (table) => table.dropIndex([], 'repository_templates'));
}
