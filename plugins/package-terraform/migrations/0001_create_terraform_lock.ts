import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('terraform_lock', (table) => {
    table.increments('id');
    table.integer('owner_id').unsigned().notNullable();
    table.string('lower_name', 150).notNullable();
    table.string('lock_id', 200).notNullable();
    table.text('info').notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['owner_id', 'lower_name']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('terraform_lock');
}
