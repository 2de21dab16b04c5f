import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('captcha_use', (table) => {
    table.string('id', 43).notNullable().primary();
    table.bigInteger('expires_at').notNullable();
    table.index(['expires_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('captcha_use');
}
