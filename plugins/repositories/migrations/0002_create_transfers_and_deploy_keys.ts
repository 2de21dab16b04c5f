import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('repository_transfer', (table) => {
    table.increments('id');
    table
      .integer('repository_id')
      .unsigned()
      .notNullable()
      .unique()
      .references('id')
      .inTable('repository')
      .onDelete('CASCADE');
    table.integer('doer_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.integer('recipient_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.bigInteger('created_at').notNullable();
    table.index(['recipient_id']);
    table.index(['doer_id']);
  });
  await knex.schema.createTable('deploy_key', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('title', 50).notNullable();
    table.text('content').notNullable();
    table.string('fingerprint', 100).notNullable();
    table.boolean('read_only').notNullable();
    table.bigInteger('created_at').notNullable();
    table.unique(['repository_id', 'fingerprint']);
    table.unique(['repository_id', 'title']);
    table.index(['fingerprint']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('deploy_key');
  await knex.schema.dropTableIfExists('repository_transfer');
}
