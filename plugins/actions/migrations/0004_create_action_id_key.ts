import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_id_key', (table) => {
    table.increments('id');
    // one key is made, however many processes begin at once
    table.integer('generation').unsigned().notNullable().unique();
    table.string('key_id', 40).notNullable();
    // sealed
    table.text('private_key').notNullable();
    table.bigInteger('created_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('action_id_key');
}
