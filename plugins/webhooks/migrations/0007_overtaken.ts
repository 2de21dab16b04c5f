import type { Knex } from '@mortise/plugin-sdk';

/** A delivery that the receiver did not take for some minutes lets later ones go before it. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('hook_delivery', 'overtaken')) return;
  await knex.schema.alterTable('hook_delivery', (table) => {
    table.boolean('overtaken').notNullable().defaultTo(false);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('hook_delivery', (table) => {
    table.dropColumn('overtaken');
  });
}
