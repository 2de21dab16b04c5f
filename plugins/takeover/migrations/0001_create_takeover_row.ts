import type { Knex } from '@mortise/plugin-sdk';

/** Which rows of another server have come, and what they were then. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('takeover_row', (table) => {
    table.string('kind', 64).notNullable();
    table.bigInteger('source_id').notNullable();
    table.bigInteger('second_id').notNullable().defaultTo(0);
    table.string('digest', 43).notNullable();
    // JSON: the keys of the rows that were made of it
    table.text('targets').notNullable();
    table.primary(['kind', 'source_id', 'second_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('takeover_row');
}
