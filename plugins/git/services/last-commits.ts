import type { PathEntry } from '../api.js';
import type { Differences } from './differences.js';

/** From the answer for the parent: what the commit touched is the commit's, the rest stays. */
export async function advance(
  differences: Differences,
  before: ReadonlyMap<string, string>,
  change: {
    readonly parent: string;
    readonly commit: string;
    readonly folder: Pick<PathEntry, 'path'>;
    readonly names: readonly string[];
  },
): Promise<ReadonlyMap<string, string> | undefined> {
  const { parent, commit, names } = change;
  const { path } = change.folder;
  const prefix = path ? `${path}/` : '';
  const changed = await differences.changes(parent, commit, {
    renames: false,
    stats: false,
    ...(path ? { path } : {}),
  });
  const touched = new Set(
    changed
      .filter((change) => change.path.startsWith(prefix))
      .map((change) => change.path.slice(prefix.length).split('/')[0]),
  );
  const now = new Map<string, string>();
  for (const name of names) {
    const last = touched.has(name) ? commit : before.get(name);
    if (!last) return undefined;
    now.set(name, last);
  }
  return now;
}
