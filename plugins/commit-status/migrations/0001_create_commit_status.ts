import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('commit_status', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('sha', 64).notNullable();
    table.integer('position').unsigned().notNullable();
    table.string('state', 16).notNullable();
    table.text('context').notNullable();
    table.string('context_hash', 40).notNullable();
    table.text('description').notNullable();
    table.text('target_url').notNullable();
    table.integer('creator_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['repository_id', 'sha', 'position']);
    table.index(['repository_id', 'sha', 'context_hash', 'id']);
    table.index(['repository_id', 'id']);
  });
  // Machines post to one commit at once: the row of this table is what they queue up at.
  await knex.schema.createTable('commit_status_position', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('sha', 64).notNullable();
    table.integer('taken').unsigned().notNullable();
    table.unique(['repository_id', 'sha']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('commit_status_position');
  await knex.schema.dropTableIfExists('commit_status');
}
