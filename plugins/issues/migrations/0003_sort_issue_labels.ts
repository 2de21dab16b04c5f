import type { Knex } from '@mortise/plugin-sdk';

/** Lists by label are read in their order from an index: what they are narrowed and sorted by stands beside the label. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('issue_label', (table) => {
    table.boolean('is_pull').notNullable().defaultTo(false);
    table.boolean('is_closed').notNullable().defaultTo(false);
    table.bigInteger('issue_created_at').notNullable().defaultTo(0);
  });
  const of = (column: string) => knex('issue').select(column).whereRaw('issue.id = issue_label.issue_id');
  await knex('issue_label').update({
    is_pull: of('is_pull'),
    is_closed: of('is_closed'),
    issue_created_at: of('created_at'),
  });
  await knex.schema.alterTable('issue_label', (table) => {
    table.index(['label_id', 'is_closed', 'issue_created_at', 'issue_id', 'is_pull'], 'issue_label_newest');
    table.index(['label_id', 'issue_created_at', 'issue_id', 'is_pull'], 'issue_label_newest_in_all');
  });
  await knex.schema.alterTable('issue_label', (table) =>
    table.dropIndex(['label_id', 'issue_id'], 'issue_label_by_label'),
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('issue_label', (table) => table.index(['label_id', 'issue_id'], 'issue_label_by_label'));
  await knex.schema.alterTable('issue_label', (table) => {
    table.dropIndex(['label_id', 'is_closed', 'issue_created_at', 'issue_id', 'is_pull'], 'issue_label_newest');
    table.dropIndex(['label_id', 'issue_created_at', 'issue_id', 'is_pull'], 'issue_label_newest_in_all');
  });
  await knex.schema.alterTable('issue_label', (table) => table.dropColumns('is_pull', 'is_closed', 'issue_created_at'));
}
