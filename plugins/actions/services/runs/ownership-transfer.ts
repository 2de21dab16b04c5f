import type { Database } from '@mortise/plugin-sdk';
import { openStatuses } from '../../contract/states.js';
import { RunRow } from '../../models/run.js';
import type { Lifecycle } from './lifecycle.js';

/** Of `owner/name`. */
export const ownerOf = (path: string): string => path.split('/')[0]!.toLowerCase();

const tables = ['action_run', 'action_job', 'action_task'] as const;

/**
 * Runs of a repository that gets another owner; in the transaction of that. What goes on was started under the owner
 * before: it ends at once, so that no token of its jobs reaches what belongs to the next.
 */
export async function transferRuns(
  { database, lifecycle }: { readonly database: Database; readonly lifecycle: Lifecycle },
  repository: { readonly id: number; readonly ownerId: number },
): Promise<void> {
  for (const table of tables)
    await database.knex()(table).where('repository_id', repository.id).update({ owner_id: repository.ownerId });
  const open = await database
    .query(RunRow)
    .select('id')
    .where('repository_id', repository.id)
    .whereIn('status', [...openStatuses])
    .orderBy('id');
  for (const { id } of open) await lifecycle.cancel(id, { force: true });
}
