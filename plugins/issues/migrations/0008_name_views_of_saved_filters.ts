import type { Knex } from '@mortise/plugin-sdk';

const prefix = 'view=created';

/** Lists across repositories open on what is assigned; saved filters without a view were of what one has created. */
export async function up(knex: Knex): Promise<void> {
  const rows = knex('issue_filter').whereNull('repository_id').whereNot('query', 'like', '%view=%');
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

const concat = (knex: Knex): string =>
  (knex.client as { dialect: string }).dialect === 'mysql' ? 'concat(?, query)' : '? || query';
