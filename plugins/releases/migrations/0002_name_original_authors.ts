import type { Knex } from '@mortise/plugin-sdk';

/** Releases that were imported name who made them at the source. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('release', (table) => {
    table.string('original_author', 255).notNullable().defaultTo('');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('release', (table) => table.dropColumn('original_author'));
}
