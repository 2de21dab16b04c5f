import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_mail_choice', (table) => {
    table.integer('user_id').unsigned().notNullable().primary().references('id').inTable('user').onDelete('CASCADE');
    table.string('choice', 20).notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('action_mail_choice');
}
