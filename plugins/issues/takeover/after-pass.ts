import type { Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import { NumberRow } from '../models/issue-number.js';
import { MilestoneRow } from '../models/milestone.js';

interface DerivedIssueDeps {
  readonly database: Database;
  readonly repositories: Pick<Repositories, 'count'>;
}

/** After a pass: what repositories and milestones count. */
export async function afterPass(deps: DerivedIssueDeps): Promise<void> {
  await deps.database.write(async () => {
    await raiseNumbers(deps.database);
    await countMilestones(deps.database);
    await countRepositories(deps);
  });
}

/** The next issue gets the number after the highest, also where the source does not say it. */
async function raiseNumbers(database: Database): Promise<void> {
  const knex = database.knex();
  const behind = await knex('issue')
    .leftJoin('issue_number', 'issue_number.repository_id', 'issue.repository_id')
    .groupBy('issue.repository_id', 'issue_number.last')
    .havingRaw('max(??) > coalesce(??, 0)', ['issue.number', 'issue_number.last'])
    .select<{ repository_id: number; last: number }[]>(
      'issue.repository_id',
      knex.raw('max(??) as ??', ['issue.number', 'last']),
    );
  const pageSize = 100;
  for (let at = 0; at < behind.length; at += pageSize)
    await knex(NumberRow.tableName)
      .insert(behind.slice(at, at + pageSize))
      .onConflict('repository_id')
      .merge(['last']);
}

async function countMilestones(database: Database): Promise<void> {
  const knex = database.knex();
  const counted = (isClosed: boolean) =>
    knex.raw('coalesce(sum(case when ?? = ? then 1 else 0 end), 0)', ['issue.is_closed', isClosed]);
  const differing = await knex
    .from(
      knex('milestone')
        .leftJoin('issue', 'issue.milestone_id', 'milestone.id')
        .groupBy('milestone.id', 'milestone.open_count', 'milestone.closed_count')
        .select('milestone.id', 'milestone.open_count as open_before', 'milestone.closed_count as closed_before')
        .select({ open_count: counted(false), closed_count: counted(true) })
        .as('counts'),
    )
    .whereRaw('?? <> ?? or ?? <> ??', ['open_count', 'open_before', 'closed_count', 'closed_before'])
    .select<{ id: number; open_count: number; closed_count: number }[]>('id', 'open_count', 'closed_count');
  for (const { id, open_count, closed_count } of differing)
    await database
      .query(MilestoneRow)
      .findById(id)
      .patch({ open_count: Number(open_count), closed_count: Number(closed_count) });
}

async function countRepositories({ database, repositories }: DerivedIssueDeps): Promise<void> {
  const knex = database.knex();
  for (const [counter, column, isPull] of [
    ['openIssueCount', 'open_issue_count', false],
    ['openPullCount', 'open_pull_count', true],
  ] as const) {
    const differing = await knex('repository')
      .leftJoin('issue', (on) => {
        void on
          .on('issue.repository_id', 'repository.id')
          .andOnVal('issue.is_pull', isPull)
          .andOnVal('issue.is_closed', false);
      })
      .groupBy('repository.id', `repository.${column}`)
      .havingRaw('count(??) <> ??', ['issue.id', `repository.${column}`])
      .select<{ id: number; before: number; count: number }[]>(
        'repository.id',
        `repository.${column} as before`,
        knex.raw('count(??) as ??', ['issue.id', 'count']),
      );
    for (const { id, before, count } of differing)
      await repositories.count(id, counter, Number(count) - Number(before));
  }
}
