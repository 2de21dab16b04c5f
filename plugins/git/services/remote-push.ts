/** Sends references to another server, with its answer for each. */
import { isZeroOid, type RefUpdate, type RemotePushed } from '../api.js';
import { urlPlace, type RemoteSession } from './remote-session.js';
import { firstLine } from './stderr-excerpt.js';

/** Arguments of one command have an end. */
const maxPerPush = 500;

export async function pushChanges(
  session: RemoteSession,
  folder: string,
  changes: readonly RefUpdate[],
  /** Of a trial nothing is sent: the references there may have moved since they were listed. */
  { isTrial }: { readonly isTrial: boolean },
): Promise<Omit<RemotePushed, 'knownHosts'>> {
  const updates: RefUpdate[] = [];
  const refused: { ref: string; reason: string }[] = [];
  // what goes is first, so that no name is in the way of another
  const ordered = [...changes].sort((a, b) => Number(isZeroOid(b.new)) - Number(isZeroOid(a.new)));
  for (let from = 0; from < ordered.length; from += maxPerPush) {
    const part = ordered.slice(from, from + maxPerPush);
    const specs = part.map(({ ref, new: next }) => (isZeroOid(next) ? `:${ref}` : `+${next}:${ref}`));
    const args = [
      'push',
      ...(isTrial ? ['--dry-run'] : []),
      '--porcelain',
      '--progress',
      '--no-verify',
      '--end-of-options',
      urlPlace,
      ...specs,
    ];
    const output = await session.git(folder, args, { isAnswer: (text) => answersIn(text).size > 0 });
    const answers = answersIn(output);
    for (const update of part) {
      const reason = answers.get(update.ref);
      if (reason === undefined) updates.push(update);
      else refused.push({ ref: update.ref, reason });
    }
  }
  return { updates, refused };
}

/** Refused references with their reason: `!\t<from>:<to>\t[remote rejected] (reason)` (git-push(1), "OUTPUT"). */
function answersIn(output: string): Map<string, string> {
  const answers = new Map<string, string>();
  for (const line of output.split('\n')) {
    const [, ref, summary = ''] = /^!\t[^\t]*:([^\t:]+)\t(.*)$/.exec(line) ?? [];
    if (ref) answers.set(ref, firstLine(/\((.*)\)$/.exec(summary)?.[1] ?? summary));
  }
  return answers;
}
