import { Conflict } from '@mortise/plugin-sdk';
import { isZeroOid, type RefChange, type RefCheck, type RefsUpdated } from '@mortise/git/api';
import type { ReleaseStore } from '../services/release-store.js';
import type { ReleaseReader } from '../services/release-reader.js';
import { deletedWith, createdFor } from '../services/tags.js';
import { t } from '../texts/index.js';

const prefix = 'refs/tags/';
const goneTags = ({ updates }: Pick<RefChange, 'updates'>) =>
  updates.filter((one) => one.ref.startsWith(prefix) && isZeroOid(one.new)).map((one) => one.ref.slice(prefix.length));

/**
 * In the transaction that tells of moved references: the tag that a release waited for is there, the one that it was
 * deleted with is gone, others were deleted by a push. The facts are ours, also when this is told after a kill.
 */
export async function followTags(releaseStore: ReleaseStore, moved: RefsUpdated): Promise<void> {
  if (moved.kind !== 'code') return;
  const made = createdFor.of(moved);
  if (made !== undefined) await releaseStore.completePending(made, moved.at);
  const deleted = deletedWith.of(moved);
  if (deleted !== undefined) await releaseStore.remove(deleted, moved.pusherId, moved.at);
  const gone = goneTags(moved);
  if (gone.length) await releaseStore.removeTags(moved.repositoryId, gone, moved.pusherId, moved.at);
}

/** A tag that a release holds is not deleted over the API or in pages, unless with its release. */
export function heldTags(reader: ReleaseReader): RefCheck {
  return {
    key: 'releases.heldTags',
    async check(change) {
      if (change.kind !== 'code' || (change.source !== 'api' && change.source !== 'web')) return;
      if (deletedWith.of(change) !== undefined) return;
      const gone = goneTags(change);
      const held = gone.length ? await reader.byTags(change.repositoryId, gone) : new Map();
      if (held.size > 0) throw Conflict(t.later('error.held', { name: String([...held.keys()][0]) }));
    },
  };
}
