import type { Knex } from '@mortise/plugin-sdk';

/** When content of upstreams was last used. Written now and then, and only to tell what goes first. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('package_kept_use', (table) => {
    table.bigInteger('id').notNullable().primary();
    table.bigInteger('used_at').notNullable();
    table.index(['used_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('package_kept_use');
}
