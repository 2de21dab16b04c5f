import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  const isMySql = (knex.client as { dialect: string }).dialect === 'mysql';
  const blob = isMySql ? 'mediumblob' : 'blob';
  await knex.schema.createTable('npm_document', (table) => {
    table.integer('package_id').unsigned().notNullable().primary();
    table.integer('revision').unsigned().notNullable();
    table.integer('built').unsigned().notNullable().defaultTo(0);
    table.string('surroundings', 64).notNullable().defaultTo('');
    table.text('creators').nullable();
    table.string('whole_tag', 64).notNullable().defaultTo('');
    table.string('short_tag', 64).notNullable().defaultTo('');
    table.specificType('whole', blob).nullable();
    table.specificType('short', blob).nullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('npm_document');
}
