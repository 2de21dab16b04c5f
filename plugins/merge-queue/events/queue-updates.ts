import type { Database } from '@mortise/plugin-sdk';
import type { RefsUpdated } from '@mortise/git/api';
import type { IssueEvent } from '@mortise/issues/api';
import type { PullEvent, Pulls } from '@mortise/pulls/api';
import { EntryRow } from '../models/entry.js';
import type { QueueService } from '../services/queue-service.js';

interface Deps {
  readonly database: Database;
  readonly queue: QueueService;
}

/** Removes a waiting pull request that was merged, pushed to or retargeted, in the transaction of the change. */
export async function onPullChanged({ action, issueId, actorId }: PullEvent, { queue }: Deps): Promise<void> {
  const reason = action === 'merged' ? 'merged' : action === 'synchronized' || action === 'retargeted' ? 'moved' : '';
  const entry = reason && (await queue.of(issueId));
  if (reason && entry) await queue.leave(entry, reason, actorId);
}

export async function onIssueChanged(
  { action, isPull, issueId, actorId }: IssueEvent,
  { queue, pulls }: Deps & { readonly pulls: Pulls },
): Promise<void> {
  const entry = isPull && action === 'closed' ? await queue.of(issueId) : undefined;
  // what is merged is closed first
  if (entry && !(await pulls.byIssueId(issueId))?.isMerged) await queue.leave(entry, 'closed', actorId);
}

/** Runs the queues of branches that have moved. */
export async function onRefsMoved(moved: RefsUpdated, { database, queue }: Deps): Promise<void> {
  if (moved.kind !== 'code') return;
  const waiting = await database.query(EntryRow).distinct('base_branch').where('repository_id', moved.repositoryId);
  const names = new Set(moved.updates.map(({ ref }) => ref));
  for (const { base_branch: branch } of waiting)
    if (names.has(`refs/heads/${branch}`)) await queue.enqueue(moved.repositoryId, branch);
}

/** Rules say what is tested, how many at once, and whether there is a queue at all. */
export async function onRulesChanged(
  { repositoryId }: { readonly repositoryId: number },
  { database, queue }: Deps,
): Promise<void> {
  const waiting = await database.query(EntryRow).distinct('base_branch').where('repository_id', repositoryId);
  for (const { base_branch: branch } of waiting) await queue.enqueue(repositoryId, branch);
}

export async function onStatusCreated(
  { repositoryId, sha }: { readonly repositoryId: number; readonly sha: string },
  { database, queue }: Deps,
): Promise<void> {
  const tested = await database.query(EntryRow).where({ repository_id: repositoryId, candidate_oid: sha }).first();
  if (tested) await queue.enqueue(repositoryId, tested.base_branch);
}

/** A branch was renamed: its queue moves to the new name, with new merge groups. */
export async function onBranchRenamed(
  { repositoryId, from, to }: { readonly repositoryId: number; readonly from: string; readonly to: string },
  { database, queue }: Deps,
): Promise<void> {
  const moved = await database
    .query(EntryRow)
    .where({ repository_id: repositoryId, base_branch: from })
    .patch({ base_branch: to, candidate_ref: '', candidate_oid: '', candidate_onto: '', tested_at: 0 });
  if (!moved) return;
  await queue.enqueue(repositoryId, from);
  await queue.enqueue(repositoryId, to);
}
