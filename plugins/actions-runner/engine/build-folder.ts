import { constants } from 'node:fs';
import { mkdir, open, readlink, symlink, type FileHandle } from 'node:fs/promises';
import { handlePath, openHandle, entryNames } from './path-handles.js';
import { StepFailure } from './types.js';

/** What an image may be built from. */
export interface CopyLimits {
  readonly bytes: number;
  readonly entries: number;
  /** Folders in one another. */
  readonly depth: number;
}

const defaultLimits: CopyLimits = { bytes: 1024 ** 3, entries: 100_000, depth: 100 };

interface CopyState {
  readonly uid: number;
  readonly signal: AbortSignal;
  readonly limits: CopyLimits;
  bytes: number;
  entries: number;
  /** Of others than the user, or neither files nor folders nor links. */
  leftOut: number;
}

/**
 * Copies what belongs to a user in a folder into a new one of the runner's: a build there reads nothing else, and what
 * the user changes meanwhile leads nowhere. Links stay links. Gives how much was left out.
 */
export async function copyForBuild(
  from: string,
  to: string,
  {
    uid,
    signal,
    limits = defaultLimits,
  }: { readonly uid: number; readonly signal: AbortSignal; readonly limits?: CopyLimits },
): Promise<number> {
  const copying: CopyState = { uid, signal, limits, bytes: 0, entries: 0, leftOut: 0 };
  const folder = await openHandle(from);
  try {
    const stat = await folder.stat();
    if (!stat.isDirectory() || stat.uid !== uid) throw new StepFailure("the action is in no folder of the job's user");
    await copyFolder(folder, Buffer.from(to), copying, 0);
  } finally {
    await folder.close();
  }
  return copying.leftOut;
}

async function copyFolder(from: FileHandle, to: Buffer, copying: CopyState, depth: number): Promise<void> {
  const { limits } = copying;
  if (depth > limits.depth)
    throw new StepFailure(`an image is built from at most ${limits.depth} folders in one another`);
  await mkdir(to, { mode: 0o755 });
  for (const name of await entryNames(from)) {
    copying.signal.throwIfAborted();
    if (++copying.entries > limits.entries)
      throw new StepFailure(`an image is built from at most ${limits.entries} files`);
    const target = Buffer.concat([to, Buffer.from('/'), name]);
    const held = await openHandle(handlePath(from, name));
    try {
      const stat = await held.stat();
      const isOwn = stat.uid === copying.uid;
      if (isOwn && stat.isDirectory()) await copyFolder(held, target, copying, depth + 1);
      else if (isOwn && stat.isFile()) await copyFile(held, target, stat.mode, copying);
      // The client would follow one that says what it leaves out.
      else if (isOwn && stat.isSymbolicLink() && !/ignore$/.test(name.toString()))
        await symlink(await readlink(handlePath(from, name), { encoding: 'buffer' }), target);
      else copying.leftOut++;
    } finally {
      await held.close();
    }
  }
}

async function copyFile(held: FileHandle, target: Buffer, mode: number, copying: CopyState): Promise<void> {
  const source = await open(handlePath(held), constants.O_RDONLY);
  try {
    const file = await open(target, 'wx', (mode & 0o777) | 0o600);
    try {
      const chunk = Buffer.alloc(256 * 1024);
      for (;;) {
        const { bytesRead } = await source.read(chunk, 0, chunk.length, null);
        if (bytesRead === 0) break;
        copying.signal.throwIfAborted();
        copying.bytes += bytesRead;
        if (copying.bytes > copying.limits.bytes)
          throw new StepFailure(`an image is built from at most ${copying.limits.bytes} bytes`);
        await file.writeFile(chunk.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  } finally {
    await source.close();
  }
}
