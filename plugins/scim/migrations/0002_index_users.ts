import type { Knex } from '@mortise/plugin-sdk';

/** Looks people up by name and by the id of the provider, and tells when a group was changed last. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('scim_user', (table) => {
    table.index(['lower_user_name'], 'scim_user_by_name');
    table.index(['external_id'], 'scim_user_by_external_id');
  });
  if (!(await knex.schema.hasColumn('scim_group', 'updated_at')))
    await knex.schema.alterTable('scim_group', (table) => {
      table.bigInteger('updated_at').notNullable().defaultTo(0);
    });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('scim_user', (table) => {
    table.dropIndex([], 'scim_user_by_name');
    table.dropIndex([], 'scim_user_by_external_id');
  });
  await knex.schema.alterTable('scim_group', (table) => table.dropColumn('updated_at'));
}
