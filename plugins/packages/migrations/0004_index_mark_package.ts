import type { Knex } from '@mortise/plugin-sdk';

/** Which package has changed, so that the rest of an index can stay; 0: any may have. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('package_index_mark', (table) =>
    table.integer('package_id').unsigned().notNullable().defaultTo(0),
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('package_index_mark', (table) => table.dropColumn('package_id'));
}
