import type { Knex } from '@mortise/plugin-sdk';

/** Whose it is: the site (0, 0), an owner (n, 0) or a repository (0, n). */
function scope(table: Knex.CreateTableBuilder): void {
  table.integer('owner_id').unsigned().notNullable().defaultTo(0);
  table.integer('repository_id').unsigned().notNullable().defaultTo(0);
}

const tables = ['action_runner', 'action_runner_use', 'action_registration', 'action_version', 'action_secret_key'];

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_runner', (table) => {
    table.increments('id');
    table.string('uuid', 36).notNullable().unique();
    table.string('name', 255).notNullable();
    scope(table);
    table.string('description', 255).notNullable().defaultTo('');
    table.string('token_hash', 64).notNullable();
    table.string('token_salt', 32).notNullable();
    table.string('version', 64).notNullable().defaultTo('');
    table.text('labels').notNullable();
    table.boolean('is_ephemeral').notNullable().defaultTo(false);
    table.boolean('is_disabled').notNullable().defaultTo(false);
    table.boolean('can_cancel').notNullable().defaultTo(false);
    // Its one task, once an ephemeral runner has it.
    table.bigInteger('used_by_task').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['owner_id', 'repository_id', 'id']);
    table.index(['repository_id', 'id']);
    table.index(['is_ephemeral', 'used_by_task']);
  });
  // Apart from the rest, so that what is kept about runners outlives their calls.
  await knex.schema.createTable('action_runner_use', (table) => {
    table
      .integer('runner_id')
      .unsigned()
      .notNullable()
      .primary()
      .references('id')
      .inTable('action_runner')
      .onDelete('CASCADE');
    table.bigInteger('online_at').notNullable().defaultTo(0);
    table.bigInteger('active_at').notNullable().defaultTo(0);
  });
  await knex.schema.createTable('action_registration', (table) => {
    table.increments('id');
    scope(table);
    table.string('token_hash', 64).notNullable().unique();
    table.string('sealed', 255).notNullable();
    table.boolean('is_active').notNullable().defaultTo(true);
    table.bigInteger('created_at').notNullable();
    table.index(['owner_id', 'repository_id', 'is_active', 'id'], 'action_registration_by_scope');
    table.index(['repository_id']);
  });
  await knex.schema.createTable('action_version', (table) => {
    scope(table);
    table.bigInteger('version').notNullable();
    table.primary(['owner_id', 'repository_id']);
    table.index(['repository_id']);
  });
  await knex.schema.createTable('action_secret_key', (table) => {
    table.increments('id');
    table.string('sealed', 255).notNullable();
    table.bigInteger('created_at').notNullable();
  });
  for (const [name, content] of [
    ['action_secret', 'sealed'],
    ['action_variable', 'value'],
  ] as const) {
    await knex.schema.createTable(name, (table) => {
      table.increments('id');
      scope(table);
      table.string('name', 255).notNullable();
      table.text(content, 'mediumtext').notNullable();
      table.text('description', 'mediumtext').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      if (name === 'action_secret')
        // A key that something is sealed with cannot go.
        table.integer('key_id').unsigned().notNullable().references('id').inTable('action_secret_key');
      table.unique(['owner_id', 'repository_id', 'name'], { indexName: `${name}_by_name` });
      table.index(['repository_id']);
    });
  }
  await knex.schema.createTable('action_token_setting', (table) => {
    scope(table);
    table.text('config').notNullable();
    table.primary(['owner_id', 'repository_id']);
    table.index(['repository_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const name of ['action_token_setting', 'action_variable', 'action_secret', ...tables.reverse()])
    await knex.schema.dropTableIfExists(name);
}
