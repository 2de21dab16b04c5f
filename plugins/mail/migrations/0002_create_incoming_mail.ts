import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('incoming_mail', (table) => {
    table.string('mail_key', 64).notNullable().primary();
    table.bigInteger('subject_id').notNullable();
    table.boolean('is_finished').notNullable();
    table.bigInteger('received_at').notNullable();
    table.index(['received_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('incoming_mail');
}
