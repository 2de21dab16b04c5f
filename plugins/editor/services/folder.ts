import type { GitRepository } from '@mortise/git/api';

/** Folders with more files are deleted with git. */
export const maxDeleted = 2000;

/** Paths of all files below a folder; undefined when there are more than {@link maxDeleted}. */
export async function filesBelow(git: GitRepository, commit: string, folder: string): Promise<string[] | undefined> {
  const { entries, total } = await git.treeRecursive(commit, { path: folder, limit: 2 * maxDeleted });
  if (total > 2 * maxDeleted) return undefined;
  const paths = entries.filter((one) => one.type !== 'tree').map((one) => `${folder}/${one.path}`);
  return paths.length > maxDeleted ? undefined : paths;
}
