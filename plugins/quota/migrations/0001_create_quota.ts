import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('quota_rule', (table) => {
    table.increments('id');
    table.string('name', 100).notNullable().unique();
    // bytes; -1: any number
    table.bigInteger('max_bytes').notNullable();
    table.text('subjects').notNullable();
  });
  await knex.schema.createTable('quota_group', (table) => {
    table.increments('id');
    table.string('name', 100).notNullable().unique();
  });
  await knex.schema.createTable('quota_group_rule', (table) => {
    table.integer('group_id').unsigned().notNullable().references('id').inTable('quota_group').onDelete('CASCADE');
    table.integer('rule_id').unsigned().notNullable().references('id').inTable('quota_rule').onDelete('CASCADE');
    table.primary(['group_id', 'rule_id']);
    table.index(['rule_id']);
  });
  await knex.schema.createTable('quota_group_user', (table) => {
    table.integer('group_id').unsigned().notNullable().references('id').inTable('quota_group').onDelete('CASCADE');
    table.integer('user_id').unsigned().notNullable().references('id').inTable('user').onDelete('CASCADE');
    table.primary(['group_id', 'user_id']);
    table.index(['user_id']);
  });
  // one row for each owner that stores something, locked while room for it is looked for
  await knex.schema.createTable('quota_owner', (table) => {
    table.integer('user_id').unsigned().primary().references('id').inTable('user').onDelete('CASCADE');
    table.bigInteger('asked_at').notNullable();
  });
  await knex.schema.createTable('quota_wiki', (table) => {
    table.integer('repository_id').unsigned().primary().references('id').inTable('repository').onDelete('CASCADE');
    table.bigInteger('size_bytes').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of [
    'quota_wiki',
    'quota_owner',
    'quota_group_user',
    'quota_group_rule',
    'quota_group',
    'quota_rule',
  ])
    await knex.schema.dropTableIfExists(table);
}
