import type { Knex } from '@mortise/plugin-sdk';

const prefix = 'view=created';

/** Lists across repositories open on what is assigned; saved filters without a view were of what one has created. */
export async function up(knex: Knex): Promise<void> {
  // letters of other scripts take nine characters each in an address; SQLite does not mind the length
  if (isMySql(knex)) await knex.schema.alterTable('issue_filter', (table) => table.text('query').notNullable().alter());
  // with an author they were, and are, of everybody's
  const rows = knex('issue_filter')
    .whereNull('repository_id')
    .whereNot('query', 'like', '%view=%')
    .whereNot('query', 'like', '%poster=%');
  await rows
    .clone()
    .whereNot('query', '')
    .update({ query: knex.raw(concat(knex), [`${prefix}&`]) });
  await rows.clone().where('query', '').update({ query: prefix });
}

export async function down(knex: Knex): Promise<void> {
  const rows = knex('issue_filter').whereNull('repository_id');
  await rows.clone().where('query', prefix).update({ query: '' });
  await rows
    .clone()
    .where('query', 'like', `${prefix}&%`)
    .update({ query: knex.raw(`substr(query, ${prefix.length + 2})`) });
}

const isMySql = (knex: Knex): boolean => (knex.client as { dialect: string }).dialect === 'mysql';

const concat = (knex: Knex): string => (isMySql(knex) ? 'concat(?, query)' : '? || query');
