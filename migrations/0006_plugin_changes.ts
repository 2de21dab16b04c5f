import type { Knex } from 'knex';

/** Changes of plugins that every node carries out, in the order of their ids, and how far each node has come. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('plugin_change', (table) => {
    table.increments('id');
    table.string('kind', 20).notNullable();
    table.string('plugin', 100).notNullable();
    table.string('state', 20).notNullable().index();
    table.string('source', 300).notNullable();
    table.string('blob', 100);
    table.text('details', 'mediumtext').notNullable();
    table.text('problem');
    table.bigInteger('changed_at').notNullable();
  });
  await knex.schema.createTable('plugin_node', (table) => {
    table.string('id', 100).primary();
    table.string('host', 255).notNullable();
    table.integer('change_id').notNullable();
    table.string('state', 20).notNullable();
    table.text('problem');
    table.bigInteger('seen_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('plugin_node');
  await knex.schema.dropTable('plugin_change');
}
