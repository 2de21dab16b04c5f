import { randomUUID } from 'node:crypto';
import { constants, type PathLike } from 'node:fs';
import { open, readdir, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises';

/** `O_PATH`, which Node does not name. */
const pathOnly = 0o10000000;

/** What is there, by itself: neither opened nor followed, and the same whatever comes into its place. Of Linux alone. */
export const openHandle = (path: PathLike): Promise<FileHandle> => open(path, pathOnly | constants.O_NOFOLLOW);

/** The path of what is held, or of a name in it: no folder on the way can be replaced. */
export const handlePath = ({ fd }: FileHandle, name?: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${fd}${name ? '/' : ''}`), name ?? Buffer.alloc(0)]);

export const entryNames = (folder: FileHandle): Promise<Buffer[]> =>
  readdir(handlePath(folder), { encoding: 'buffer' });

/** Removes a folder with the rights of the runner, also while its owner changes it. */
export async function removeTree(path: string): Promise<void> {
  const folder = await openHandle(path);
  try {
    for (let names = await entryNames(folder); names.length > 0; names = await entryNames(folder))
      for (const name of names) if (!(await removeFile(folder, name))) await removeBelow(folder, name);
  } finally {
    await folder.close();
  }
  await rmdir(path);
}

/** Gives whether it was one. */
async function removeFile(folder: FileHandle, name: Buffer): Promise<boolean> {
  try {
    await unlink(handlePath(folder, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return false;
    throw error;
  }
}

/** The folders in it come to the top, so that no depth of them holds many open. */
async function removeBelow(top: FileHandle, name: Buffer): Promise<void> {
  const folder = await openHandle(handlePath(top, name));
  try {
    for (const inner of await entryNames(folder))
      if (!(await removeFile(folder, inner)))
        await rename(handlePath(folder, inner), handlePath(top, Buffer.from(randomUUID())));
  } finally {
    await folder.close();
  }
  await rmdir(handlePath(top, name));
}
