import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('merge_queue_entry', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('issue_id').unsigned().notNullable().unique().references('id').inTable('issue').onDelete('CASCADE');
    table.string('base_branch', 255).notNullable();
    table.integer('user_id').notNullable();
    table.string('head_oid', 64).notNullable();
    table.string('style', 20).notNullable();
    table.text('title', 'mediumtext').notNullable();
    table.text('message', 'mediumtext').notNullable();
    // null: as the repository says
    table.boolean('delete_branch').nullable();
    // empty: there is none yet
    table.string('candidate_ref', 500).notNullable().defaultTo('');
    table.string('candidate_oid', 64).notNullable().defaultTo('');
    table.string('candidate_onto', 64).notNullable().defaultTo('');
    table.bigInteger('tested_at').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.index(['repository_id', 'base_branch', 'id'], 'merge_queue_order');
    table.index(['repository_id', 'candidate_oid'], 'merge_queue_of_candidate');
  });
  // branches that candidates were given, from before they are made until they are gone
  await knex.schema.createTable('merge_queue_ref', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('base_branch', 255).notNullable();
    table.string('ref', 500).notNullable();
    table.index(['repository_id', 'base_branch'], 'merge_queue_ref_of_branch');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('merge_queue_ref');
  await knex.schema.dropTableIfExists('merge_queue_entry');
}
