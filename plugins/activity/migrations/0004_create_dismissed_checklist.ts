import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('dismissed_checklist')) return;
  await knex.schema.createTable('dismissed_checklist', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.string('list', 8).notNullable();
    table.unique(['user_id', 'list']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('dismissed_checklist');
}
