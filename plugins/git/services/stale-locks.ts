/**
 * Lock files that a killed git left (`HEAD.lock`, `refs/heads/x.lock`, `packed-refs.lock`, …). git takes each of them
 * for a process at work and refuses for ever. Who may remove them is {@link Recovery}, which knows who is at work.
 */
import { randomBytes } from 'node:crypto';
import { link, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RefUpdate } from '../api.js';

export interface LockFile {
  /** Path in the repository. */
  readonly name: string;
  /** Tells a lock from a later one of the same name. */
  readonly identity: string;
}

const forReferences = ['HEAD.lock', 'packed-refs.lock', 'shallow.lock'];
/** Folders with locks besides `refs`; subfolders are not looked into. */
const folders = ['', 'objects/info', 'objects/info/commit-graphs', 'objects/pack'];
const readAtOnce = 64;

async function findLock(folder: string, name: string): Promise<LockFile[]> {
  const stats = await stat(join(folder, name), { bigint: true }).catch(() => undefined);
  return stats?.isFile() ? [{ name, identity: `${stats.dev}.${stats.ino}.${stats.mtimeNs}.${stats.size}` }] : [];
}

async function findLocks(folder: string, names: readonly string[]): Promise<LockFile[]> {
  const locks: LockFile[] = [];
  for (let at = 0; at < names.length; at += readAtOnce) {
    const some = names.slice(at, at + readAtOnce);
    locks.push(...(await Promise.all(some.map((name) => findLock(folder, name)))).flat());
  }
  return locks;
}

/** Those that would be in the way of these updates. */
export function locksBefore(folder: string, updates: readonly RefUpdate[]): Promise<LockFile[]> {
  return findLocks(folder, [...forReferences, ...updates.map(({ ref }) => `${ref}.lock`)]);
}

/** Every lock in the repository. Reads all folders of references. */
export async function allLocks(folder: string): Promise<LockFile[]> {
  const names: string[] = [];
  const look = async (inside: string, isDeep: boolean): Promise<void> => {
    const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = inside ? `${inside}/${entry.name}` : entry.name;
      if (entry.isFile() && entry.name.endsWith('.lock')) names.push(name);
      else if (isDeep && entry.isDirectory()) await look(name, true);
    }
  };
  for (const inside of folders) await look(inside, false);
  await look('refs', true);
  return findLocks(folder, names);
}

/** Removes a lock unless another has taken its place meanwhile. */
export async function removeLock(folder: string, lock: LockFile): Promise<boolean> {
  const [now] = await findLock(folder, lock.name);
  if (now?.identity !== lock.identity) return false;
  // not below `refs`, where git would read it as a reference
  const aside = `mortise-stale.${randomBytes(6).toString('hex')}`;
  try {
    await rename(join(folder, lock.name), join(folder, aside));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const [moved] = await findLock(folder, aside);
  const isSame = moved?.identity === lock.identity;
  // in that moment a new one was made: it goes back to whoever holds it
  if (!isSame) await link(join(folder, aside), join(folder, lock.name)).catch(() => undefined);
  await unlink(join(folder, aside)).catch(() => undefined);
  return isSame;
}
