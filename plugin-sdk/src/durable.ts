import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

interface DurableOptions {
  /** Exactly this, whatever the umask is; default 0600. */
  readonly mode?: number;
  /** Never replaces: throws `EEXIST` when the file is there, and of many writers one wins. */
  readonly exclusive?: boolean;
}

/** Flushes a folder: a rename outlives a power cut only then. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // Some file systems cannot flush folders.
  } finally {
    await handle?.close();
  }
}

const draftOf = (file: string) => `${file}.${randomBytes(6).toString('hex')}.draft`;

/** Writes a file that is there whole or not at all, also after a kill or a power cut. */
export async function writeDurably(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, exclusive = false }: DurableOptions = {},
): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true });
  const draft = draftOf(file);
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await (exclusive ? link : rename)(draft, file);
    await syncFolder(folder);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The same for the few moments in which nothing else may happen. */
export function writeDurablySync(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, exclusive = false }: DurableOptions = {},
): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  const draft = draftOf(file);
  try {
    const handle = openSync(draft, 'wx', mode);
    try {
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
      fchmodSync(handle, mode);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    (exclusive ? linkSync : renameSync)(draft, file);
    syncFolderSync(folder);
  } finally {
    rmSync(draft, { force: true });
  }
}

function syncFolderSync(folder: string): void {
  let handle: number | undefined;
  try {
    handle = openSync(folder, 'r');
    fsyncSync(handle);
  } catch {
    // Some file systems cannot flush folders.
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
