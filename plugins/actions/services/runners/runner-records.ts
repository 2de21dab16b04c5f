import { createHash, timingSafeEqual } from 'node:crypto';
import type { Runner, RunnerStatus } from '../../contract/runners.js';
import type { ActionScope } from '../../contract/scopes.js';
import type { RunnerRow } from '../../models/runner.js';

/** Times of use, milliseconds since 1970 UTC. */
export interface RunnerActivityTimes {
  readonly onlineAt: number;
  readonly activeAt: number;
}

const offlineAfter = 60_000;
const idleAfter = 10_000;

export function statusOf({ onlineAt, activeAt }: RunnerActivityTimes, now: number): RunnerStatus {
  if (now - onlineAt >= offlineAfter) return 'offline';
  return now - activeAt < idleAfter ? 'active' : 'idle';
}

export function toRunner(row: RunnerRow, use: RunnerActivityTimes, now: number): Runner {
  return Object.freeze({
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    scope: Object.freeze({ ownerId: row.owner_id, repositoryId: row.repository_id }),
    description: row.description,
    version: row.version,
    labels: Object.freeze([...row.labels]),
    isEphemeral: row.is_ephemeral,
    isDisabled: row.is_disabled,
    canCancel: row.can_cancel,
    status: statusOf(use, now),
    lastOnlineAt: use.onlineAt,
    lastActiveAt: use.activeAt,
    createdAt: row.created_at,
  });
}

export const whereScope = ({ ownerId, repositoryId }: ActionScope) => ({
  owner_id: ownerId,
  repository_id: repositoryId,
});

/** Random secrets are long enough for one round. */
export const hashOf = (salt: string, secret: string): string =>
  createHash('sha256')
    .update(salt + secret)
    .digest('hex');

export function isHashOf(hash: string, salt: string, secret: string): boolean {
  const given = Buffer.from(hashOf(salt, secret), 'hex');
  const right = Buffer.from(hash, 'hex');
  return given.length === right.length && timingSafeEqual(given, right);
}

export const fits = ({ labels }: { readonly labels: readonly string[] }, runsOn: readonly string[]): boolean =>
  runsOn.every((label) => labels.includes(label));
