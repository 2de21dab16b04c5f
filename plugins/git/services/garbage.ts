/** What killed pushes and writers leave among the objects: nothing ever reads it again (git's `tmp_objdir.c`, `pack-write.c`). */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A push that has written nothing for so long has ended. */
const graceMs = 24 * 3600 * 1000;

const isQuarantine = (name: string) => /^(?:tmp_objdir-|incoming-)/.test(name);
const isTemporary = (name: string) => /^(?:tmp_|\.tmp-)/.test(name);

/** Paths below the repository. `isDeep` looks at the folders of loose objects too. */
export async function garbageIn(folder: string, options: { isDeep?: boolean; now?: number } = {}): Promise<string[]> {
  const objects = join(folder, 'objects');
  const names = await entriesOf(objects);
  const candidates = names.filter((name) => isQuarantine(name) || isTemporary(name));
  for (const inside of ['pack', 'info', ...(options.isDeep ? names.filter((name) => /^[0-9a-f]{2}$/.test(name)) : [])])
    for (const name of await entriesOf(join(objects, inside)))
      if (isTemporary(name)) candidates.push(`${inside}/${name}`);
  const before = (options.now ?? Date.now()) - graceMs;
  const old: string[] = [];
  for (const name of candidates) if ((await lastWrite(join(objects, name))) < before) old.push(`objects/${name}`);
  return old;
}

export async function removeGarbage(
  folder: string,
  options: { isDeep?: boolean; now?: number } = {},
): Promise<string[]> {
  const garbage = await garbageIn(folder, options);
  for (const name of garbage) await rm(join(folder, name), { recursive: true, force: true });
  return garbage;
}

const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Of a folder, that of the youngest thing in it: a large pack is written for hours. */
async function lastWrite(path: string): Promise<number> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return Infinity; // gone meanwhile
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = await Promise.all((await entriesOf(path)).map((name) => lastWrite(join(path, name))));
  return Math.max(stats.mtimeMs, ...inside.filter(Number.isFinite));
}
