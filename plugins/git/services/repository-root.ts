import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bucketOf } from './store.js';

/**
 * Why a folder cannot be the root of the repositories of this site, said of the setting that names it; undefined: it can.
 * Changes nothing. A settings file of Gitea names the root of that server, and one that was passed over so far would
 * move a running site to an empty folder.
 * @param formerRoots Where the repositories of this site may lie so far.
 */
export function rootFault(root: string, formerRoots: readonly string[]): string | undefined {
  try {
    if (existsSync(join(root, '.hooks')) || hasRepositories(root)) return undefined;
    const foreign = foreignRepository(root);
    if (foreign)
      return `names ${root}, which has repositories of another server (${foreign}): name another folder, and take them over with mortise takeover`;
    if (existsSync(root) && readdirSync(root).some((name) => name !== 'lost+found'))
      return `names ${root}, which has other files: name an empty folder`;
    const former = formerRoots.find((one) => one !== root && hasRepositories(one));
    return former === undefined
      ? undefined
      : `names ${root}, which is empty, while the repositories of this site lie in ${former}: stop the server and move all that is in there, or leave the setting out`;
  } catch (error) {
    return `names ${root}, which cannot be read: ${(error as Error).message}`;
  }
}

/** Below its top level, as this server lays repositories out. */
const hasRepositories = (root: string): boolean =>
  foldersIn(root).some(
    (name) => /^[0-9a-f]{3}$/.test(name) && foldersIn(join(root, name)).some((one) => isOurs(name, one)),
  );

function isOurs(bucket: string, name: string): boolean {
  const id = /^([1-9]\d*)(?:\.wiki)?\.git$/.exec(name)?.[1];
  return id !== undefined && bucketOf(Number(id)) === bucket;
}

/** `ada/engine.git` */
function foreignRepository(root: string): string | undefined {
  for (const owner of foldersIn(root)) {
    if (owner.startsWith('.') || owner === 'lost+found') continue;
    const repository = foldersIn(join(root, owner)).find((name) => name.endsWith('.git'));
    if (repository) return `${owner}/${repository}`;
  }
  return undefined;
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
