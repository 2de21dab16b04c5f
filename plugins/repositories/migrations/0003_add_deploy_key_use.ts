import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('deploy_key', (table) => {
    table.bigInteger('last_used_at').notNullable().defaultTo(0);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('deploy_key', (table) => {
    table.dropColumn('last_used_at');
  });
}
