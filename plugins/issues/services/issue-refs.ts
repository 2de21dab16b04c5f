import type { Database } from '@mortise/plugin-sdk';
import type { Issue } from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';

export type IssueRef = Pick<Issue, 'repositoryId' | 'index'>;

/** Issues and pull requests of many repositories by their numbers there, by one statement; without those that there are not. */
export async function findIssues(database: Database, refs: readonly IssueRef[]): Promise<Issue[]> {
  const wanted = new Map<number, Set<number>>();
  for (const { repositoryId, index } of refs)
    wanted.set(repositoryId, (wanted.get(repositoryId) ?? new Set()).add(index));
  if (wanted.size === 0) return [];
  const rows = await database.query(IssueRow).where((either) => {
    for (const [repositoryId, numbers] of wanted)
      void either.orWhere((one) => void one.where('repository_id', repositoryId).whereIn('number', [...numbers]));
  });
  return rows.map(toIssue);
}
