import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('recent_push', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    // of a fork what it is a fork of, else the repository itself
    table.integer('base_id').unsigned().notNullable();
    // of the name, which is longer than keys may be
    table.string('branch_hash', 40).notNullable();
    table.string('branch', 255).notNullable();
    table.bigInteger('pushed_at').notNullable();
    table.unique(['user_id', 'repository_id', 'branch_hash'], { indexName: 'recent_push_of_branch' });
    table.index(['user_id', 'pushed_at'], 'recent_push_of_user');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('recent_push');
}
