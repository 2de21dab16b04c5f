import type { Knex } from '@mortise/plugin-sdk';

/** Comments on lines that were imported name who wrote them at the source; those of reviews stand in the timeline. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('review_comment', (table) => {
    table.string('original_author', 255).notNullable().defaultTo('');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('review_comment', (table) => table.dropColumn('original_author'));
}
