import { createHash } from 'node:crypto';
import { isZeroOid, zeroOid, type RefsUpdated, type RefUpdate } from '@mortise/git/api';
import { firstCommit } from '@mortise/repositories/api';
import type { ActivityEvents, NewActivityEvent, PushData } from '../api.js';
import { shortName } from './reference-kinds.js';

/** The service renamed a branch: it brings nothing new. */
const wasElsewhere = ({ source, updates }: RefsUpdated, { new: current }: RefUpdate): boolean =>
  (source === 'api' || source === 'web') &&
  updates.some(({ ref, old, new: left }) => ref.startsWith('refs/heads/') && old === current && isZeroOid(left));

/** A reference that was made, then what it brought, then that it is gone: a new branch is recorded twice. */
function activityEventsOf(pushed: RefsUpdated, update: RefUpdate): NewActivityEvent<PushData>[] {
  const { ref, new: current } = update;
  const isTag = ref.startsWith('refs/tags/');
  if (!isTag && !ref.startsWith('refs/heads/')) return [];
  const gone = isZeroOid(current);
  // A tag that moved is a new one for those who listen.
  const old = isTag && !gone ? zeroOid : update.old;
  const made = isZeroOid(old);
  const isRenamed = made && !isTag && wasElsewhere(pushed, update);
  const kinds = [
    ...(made ? ['create'] : []),
    ...(isTag || !(gone || isRenamed) ? ['push'] : []),
    ...(gone ? ['delete'] : []),
  ];
  // References may be longer than an id.
  const key = createHash('sha256')
    .update([pushed.repositoryId, pushed.at, update.old, current, ref].join('\0'))
    .digest('hex');
  return kinds.map((kind) => ({
    id: `${kind}:${key}`,
    kind,
    action: kind === 'create' ? 'created' : kind === 'push' ? 'pushed' : 'deleted',
    resource: { id: 0, title: shortName(ref), ref, repositoryId: pushed.repositoryId, unit: 'code' },
    actorId: pushed.pusherId,
    at: pushed.at,
    data: { ref, old, new: current, source: pushed.source, ...(firstCommit.of(pushed) && { isFirst: true }) },
  }));
}

/** A push becomes `push`, `create` and `delete`, one for each reference (git-effects). */
export async function recordPush(
  pushed: RefsUpdated,
  { activityEvents }: { readonly activityEvents: ActivityEvents },
): Promise<void> {
  if (pushed.kind !== 'code') return;
  await activityEvents.record(pushed.updates.flatMap((update) => activityEventsOf(pushed, update)));
}
