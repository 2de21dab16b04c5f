import type { Knex } from '@mortise/plugin-sdk';

/** Without foreign keys: entries outlive accounts, repositories and everything else that they are about. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('audit_entry', (table) => {
    table.bigIncrements('id');
    table.bigInteger('created_at').notNullable();
    table.string('action', 64).notNullable();
    table.integer('actor_id').notNullable();
    table.string('actor_name', 255).notNullable();
    table.integer('sudo_by').notNullable().defaultTo(0);
    table.string('way', 16).notNullable();
    table.string('method', 64).notNullable().defaultTo('');
    table.integer('credential_id').notNullable().defaultTo(0);
    table.string('address', 64).notNullable().defaultTo('');
    table.integer('user_id').unsigned().notNullable().defaultTo(0);
    table.string('user_name', 255).notNullable().defaultTo('');
    table.integer('owner_id').unsigned().notNullable().defaultTo(0);
    table.string('owner_name', 255).notNullable().defaultTo('');
    table.integer('repository_id').unsigned().notNullable().defaultTo(0);
    table.string('repository_name', 255).notNullable().defaultTo('');
    table.string('target_kind', 64).notNullable();
    table.bigInteger('target_id').notNullable().defaultTo(0);
    table.string('target_name', 255).notNullable();
    table.text('details').notNullable();
    table.index(['created_at']);
    table.index(['action', 'id']);
    table.index(['actor_id', 'id']);
    table.index(['actor_name', 'id']);
    table.index(['user_id', 'id']);
    table.index(['owner_id', 'id']);
    table.index(['repository_id', 'id']);
    table.index(['address', 'id']);
    table.index(['target_name', 'id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('audit_entry');
}
