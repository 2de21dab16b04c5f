import { isZeroOid, type GitReader, type RefUpdate } from '@mortise/git/api';
import type { RunLog } from './runs.js';

/** Changes that go back and forth do so within this time. */
const windowMs = 60_000;
const maxRuns = 20;
/** So often the same change may be made: somebody may undo and redo something by hand. */
const maxRepeats = 2;

interface SyncLoopDeps {
  readonly runs: RunLog;
  readonly reader: GitReader;
}

/**
 * Two servers that follow each other, and in which a reference changed at the same moment, send each other what they had,
 * again and again. A change that this mirror has made before, and that was undone there since, is one of those: it is left
 * out unless it has more commits or, where neither side has those of the other, the greater id. Both sides can tell so
 * without asking, and one of them goes on.
 */
export async function syncLoopFilter(
  { runs, reader }: SyncLoopDeps,
  { repositoryId, pushMirrorId }: { readonly repositoryId: number; readonly pushMirrorId: number },
): Promise<(change: RefUpdate) => Promise<boolean>> {
  const repeats = new Map<string, number>();
  const keyOf = (change: RefUpdate) => `${change.ref} ${change.old} ${change.new}`;
  for (const { changes } of await runs.latest(repositoryId, pushMirrorId, Date.now() - windowMs, maxRuns))
    for (const change of changes.first) repeats.set(keyOf(change), (repeats.get(keyOf(change)) ?? 0) + 1);
  return async (change) => {
    if ((repeats.get(keyOf(change)) ?? 0) < maxRepeats) return false;
    const { old, new: next } = change;
    const git = reader.open(repositoryId);
    if (isZeroOid(old) || isZeroOid(next) || !(await git.info(old))) return next < old;
    if (await git.isAncestor(next, old)) return true;
    return !(await git.isAncestor(old, next)) && next < old;
  };
}
