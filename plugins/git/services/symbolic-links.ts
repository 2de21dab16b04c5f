import type { GitRepository, PathEntry } from '../contract/reading.js';

const linkMode = '120000';
/** As many links on the way to one file as Linux follows. */
const maxLinks = 40;
/** Looked up one after the other. */
const maxSegments = 100;
const maxTargetBytes = 4096;

/**
 * The entry at a path, whatever symbolic links lie on the way, at its own path. Undefined: a link leads out of the
 * repository, nowhere, or round in a circle.
 */
export async function followLinks(
  git: Pick<GitRepository, 'entry' | 'info' | 'blob'>,
  commit: string,
  path: string,
): Promise<PathEntry | undefined> {
  const done: string[] = [];
  let rest = path.split('/');
  let entry: PathEntry | undefined;
  for (let links = 0, looked = 0; rest.length > 0;) {
    const segment = rest.shift()!;
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      if (done.pop() === undefined) return undefined;
      entry = undefined;
      continue;
    }
    if (++looked > maxSegments) return undefined;
    entry = await git.entry(commit, [...done, segment].join('/'));
    if (!entry) return undefined;
    if (entry.mode !== linkMode) {
      done.push(segment);
      continue;
    }
    if (++links > maxLinks || ((await git.info(entry.oid))?.size ?? Infinity) > maxTargetBytes) return undefined;
    const target = (await git.blob(entry.oid, maxTargetBytes)).toString('utf8');
    if (target.startsWith('/')) return undefined;
    rest = [...target.split('/'), ...rest];
  }
  return entry;
}
