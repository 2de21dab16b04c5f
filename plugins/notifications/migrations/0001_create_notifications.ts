import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('notification', (table) => {
    table.increments('id');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('issue_id').unsigned().references('id').inTable('issue').onDelete('CASCADE');
    table.string('kind', 20).notNullable();
    // an account has one thread about each thing
    table.string('subject', 100).notNullable();
    table.string('sha', 64).notNullable().defaultTo('');
    table.string('status', 10).notNullable();
    table.string('reason', 20).notNullable();
    table.integer('comment_id').unsigned().notNullable().defaultTo(0);
    table.integer('actor_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['subject', 'user_id'], { indexName: 'notification_of_subject' });
    table.index(['user_id', 'status', 'updated_at'], 'notification_of_user');
    table.index(['repository_id', 'user_id', 'updated_at'], 'notification_of_repository');
    table.index(['issue_id'], 'notification_of_issue');
  });
  await knex.schema.createTable('notification_choice', (table) => {
    table.integer('user_id').unsigned().notNullable().primary().references('id').inTable('user').onDelete('CASCADE');
    table.string('mail', 20).notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('notification_choice');
  await knex.schema.dropTableIfExists('notification');
}
