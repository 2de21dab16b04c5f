import { createHash } from 'node:crypto';
import type { Knex } from '@mortise/plugin-sdk';

interface Topic {
  readonly issue_id: number;
  readonly repository_id: number;
  readonly base_branch: string;
  readonly head_repository_id: number | null;
  readonly head_branch: string;
  readonly is_open: number | boolean;
  readonly poster_id: number;
}

/** What was pushed to `refs/for/` belonged to the name of an account; it belongs to the account. */
export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('pull_request', 'topic_owner_id')))
    await knex.schema.alterTable('pull_request', (table) => {
      table.integer('topic_owner_id').notNullable().defaultTo(0);
    });
  const topics = (await knex('pull_request')
    .join('issue', 'issue.id', 'pull_request.issue_id')
    .where({ flow: 'agit', topic_owner_id: 0 })
    .orderBy('pull_request.issue_id')
    .select(
      'pull_request.issue_id',
      'pull_request.repository_id',
      'base_branch',
      'head_repository_id',
      'head_branch',
      'is_open',
      'issue.poster_id',
    )) as Topic[];
  for (const row of topics) {
    const topic = row.head_branch.replace(/^[^/]*\//, '');
    const parts = [row.repository_id, row.base_branch, row.head_repository_id ?? 0, topic, 'agit', row.poster_id];
    const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    // a person with another name by now may have two of one topic: pushes go to the first
    const isTaken = (await knex('pull_request').where('open_key', key).first('issue_id')) !== undefined;
    await knex('pull_request')
      .where('issue_id', row.issue_id)
      .update({ head_branch: topic, topic_owner_id: row.poster_id, open_key: row.is_open && !isTaken ? key : null });
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('pull_request', (table) => {
    table.dropColumn('topic_owner_id');
  });
}
