import type { GitRepository, PathEntry } from '../api.js';

/** The note on a commit: it lies under the id, fanned out into folders of two digits the more there are. */
export async function findNote(git: GitRepository, notes: string, commit: string): Promise<PathEntry | undefined> {
  for (let depth = 0; depth < 4; depth++) {
    const fan = Array.from({ length: depth }, (_, index) => commit.slice(index * 2, index * 2 + 2));
    const entry = await git.entry(notes, [...fan, commit.slice(depth * 2)].join('/'));
    if (entry?.type === 'blob') return entry;
  }
  return undefined;
}
