import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('container_upload', (table) => {
    table.string('id', 40).primary();
    table.integer('owner_id').unsigned().notNullable();
    table.string('image', 255).notNullable();
    table.integer('user_id').notNullable();
    table.integer('parts').notNullable().defaultTo(0);
    table.bigInteger('received').notNullable().defaultTo(0);
    table.bigInteger('updated_at').notNullable();
    table.index(['updated_at']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('container_upload');
}
