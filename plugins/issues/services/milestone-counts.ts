import type { Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { Issue } from '../api.js';
import { MilestoneRow } from '../models/milestone.js';

type Counted = Pick<Issue, 'repositoryId' | 'isPull' | 'isClosed' | 'milestoneId'>;

/** Moves what repositories and milestones count, in the transaction that changes an issue; absent: it is not there. */
export async function updateMilestoneCounts(
  deps: { readonly database: Database; readonly repositories: Repositories },
  before: Counted | undefined,
  after: Counted | undefined,
): Promise<void> {
  const open = (one: Counted | undefined) => (one && !one.isClosed ? 1 : 0);
  const of = (before ?? after)!;
  const moved = open(after) - open(before);
  if (moved) await deps.repositories.count(of.repositoryId, of.isPull ? 'openPullCount' : 'openIssueCount', moved);
  const steps: readonly (readonly [Counted | undefined, number])[] = [
    [before, -1],
    [after, 1],
  ];
  if (before?.milestoneId === after?.milestoneId && before?.isClosed === after?.isClosed) return;
  for (const [one, by] of steps)
    if (one?.milestoneId)
      await deps.database
        .query(MilestoneRow)
        .findById(one.milestoneId)
        .increment(one.isClosed ? 'closed_count' : 'open_count', by);
}
