import { isCorruptObject, type GitRepository } from '@mortise/git/api';
import { withoutCorruptObjects } from '@mortise/history/api';

/** Paths of the files of a commit. Folders that cannot be read are left out. */
export async function listFiles(git: GitRepository, commit: string, max: number): Promise<string[]> {
  try {
    const { entries } = await git.treeRecursive(commit, { limit: max * 2 });
    return entries
      .filter((entry) => entry.type === 'blob')
      .slice(0, max)
      .map((entry) => entry.path);
  } catch (error) {
    if (!isCorruptObject(error)) throw error;
  }
  const paths: string[] = [];
  const folders = [{ oid: commit, prefix: '' }];
  for (let at = 0; at < folders.length && at < maxFolders && paths.length < max; at++) {
    const { oid, prefix } = folders[at]!;
    for (const entry of await withoutCorruptObjects(git.tree(oid), [])) {
      if (entry.type === 'tree') folders.push({ oid: entry.oid, prefix: `${prefix}${entry.name}/` });
      else if (entry.type === 'blob') paths.push(prefix + entry.name);
    }
  }
  return paths.slice(0, max);
}

/** Of a damaged repository not every folder is tried. */
const maxFolders = 1000;
