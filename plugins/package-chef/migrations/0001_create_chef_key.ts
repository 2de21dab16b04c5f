import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('chef_key', (table) => {
    table.integer('user_id').unsigned().primary().references('id').inTable('user').onDelete('CASCADE');
    table.text('public_key').notNullable();
    table.bigInteger('created_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('chef_key');
}
