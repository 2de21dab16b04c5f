import type { Knex } from '@mortise/plugin-sdk';

/** Comments that pages show folded, with the reason. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('hidden_comment', (table) => {
    const of = (column: string, other: string) =>
      table.integer(column).unsigned().notNullable().references('id').inTable(other).onDelete('CASCADE');
    of('entry_id', 'timeline_entry').primary();
    of('issue_id', 'issue').index('hidden_comment_of_issue');
    table.string('reason', 20).notNullable();
    table.integer('hider_id').notNullable();
    table.bigInteger('hidden_at').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex('timeline_entry').whereIn('kind', ['hide_comment', 'show_comment']).delete();
  await knex.schema.dropTable('hidden_comment');
}
