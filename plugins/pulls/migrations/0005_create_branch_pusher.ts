import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('branch_pusher', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    // of the name, which is longer than keys may be
    table.string('branch_hash', 40).notNullable();
    // 0: a deploy key, a job or the service; without a foreign key, because that is no account
    table.integer('user_id').notNullable();
    table.string('oid', 64).notNullable();
    table.bigInteger('pushed_at').notNullable();
    table.unique(['repository_id', 'branch_hash', 'user_id'], { indexName: 'branch_pusher_of_branch' });
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('branch_pusher');
}
