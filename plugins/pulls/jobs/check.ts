import { Problem, defineJob, type Database } from '@mortise/plugin-sdk';
import { isCorruptObject } from '@mortise/git/api';
import { PullRow } from '../models/pull.js';
import type { PullSyncer } from '../services/pull-syncer.js';

/** Finds out which open pull requests into a branch still merge. */
export const checkBranch = defineJob<{ readonly repositoryId: number; readonly branch: string }>('pulls.checkBranch');
/** The same for one that somebody looks at. */
export const checkPull = defineJob<{ readonly issueId: number }>('pulls.check');

/** Removes the references of one that was deleted. */
export const forgetPull = defineJob<{
  readonly repositoryId: number;
  readonly index: number;
  readonly issueId: number;
}>('pulls.forget');

/** Merges one that was to be merged when nothing is in the way, if that is so. */
export const autoMerge = defineJob<{ readonly issueId: number }>('pulls.autoMerge');
/** Has all that are scheduled in a repository looked at, each by a job of its own. */
export const autoMergeAll = defineJob<{ readonly repositoryId: number }>('pulls.autoMergeAll');

const day = 86_400_000;

/**
 * Those that something happened to after this are checked when their base branch moves, by
 * `DELAY_CHECK_FOR_INACTIVE_DAYS` (LIM-01): 0: none, -1: all of them.
 */
export const checkedSince = (delayDays: number, now: number): number => (delayDays < 0 ? 0 : now - delayDays * day);

/** Those of a branch that wait for it, the ones that were changed last first; not those that are left for later. */
export async function checkWaiting(
  { repositoryId, branch }: { readonly repositoryId: number; readonly branch: string },
  deps: { readonly database: Database; readonly syncer: PullSyncer; readonly since: number },
  signal: AbortSignal,
): Promise<void> {
  const rows = await deps.database
    .query(PullRow)
    .join('issue', 'issue.id', 'pull_request.issue_id')
    .select('pull_request.issue_id')
    .where({ 'pull_request.repository_id': repositoryId, base_branch: branch, is_open: true, merge_state: 'checking' })
    .where('issue.updated_at', '>', deps.since)
    .orderBy('issue.updated_at', 'desc')
    .limit(1000);
  for (const { issue_id: issueId } of rows) {
    if (signal.aborted) return;
    try {
      await deps.syncer.check(issueId);
    } catch (error) {
      // one that cannot be read leaves the others their turn
      if (!Problem.is(error) && !isCorruptObject(error)) throw error;
      await deps.database.write(async () => {
        await deps.database.query(PullRow).findById(issueId).patch({ merge_state: 'broken', conflicts: [] });
      });
    }
  }
}
