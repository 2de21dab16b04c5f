import { lstat, opendir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileLine } from './format.js';
import { ObjectStore } from './store.js';

/** Content up to so many bytes lies in the list itself: a small file for each would be slow to keep and to find. */
const inlineBytes = 2048;
const passes = 6;

const isGone = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code));

interface Found {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
  readonly mode: number;
  readonly inode: number;
  readonly type: 'file' | 'folder' | 'link';
}

/** Files, links and empty folders below `root`; what goes away meanwhile is passed over. Sockets and the like are not data. */
export async function* walk(
  root: string,
  isLeftOut: (path: string) => boolean = () => false,
  below = '',
): AsyncGenerator<Found> {
  const entries = await opendir(join(root, below)).catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });
  if (!entries) return;
  let isEmpty = true;
  for await (const entry of entries) {
    isEmpty = false;
    const path = below ? `${below}/${entry.name}` : entry.name;
    if (isLeftOut(path)) continue;
    if (entry.isDirectory()) yield* walk(root, isLeftOut, path);
    else if (entry.isFile() || entry.isSymbolicLink()) {
      const stats = await lstat(join(root, path)).catch(() => undefined);
      if (stats) yield line(path, stats, entry.isFile() ? 'file' : 'link');
    }
  }
  if (isEmpty && below) {
    const stats = await lstat(join(root, below)).catch(() => undefined);
    if (stats) yield line(below, stats, 'folder');
  }
}

function line(
  path: string,
  { size, mtimeMs, mode, ino }: { size: number; mtimeMs: number; mode: number; ino: number },
  type: Found['type'],
): Found {
  return { path, size, modifiedAt: Math.floor(mtimeMs), mode: mode & 0o777, inode: ino, type };
}

/** What is known of each path, from an earlier back-up or an earlier look. */
type Known = ReadonlyMap<string, FileLine>;

/** `readAt`: what changed just before it was read may have changed again without showing it. */
export async function byPath(
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  readAt: number,
): Promise<Map<string, FileLine>> {
  const known = new Map<string, FileLine>();
  for await (const one of lines) if (one.modifiedAt < readAt - 2000) known.set(one.path, one);
  return known;
}

/** One file into the store; undefined when it has gone. Unchanged ones are not read again. */
export async function backUpFile(
  store: ObjectStore,
  root: string,
  { path, size, modifiedAt, mode, type }: Found,
  known?: Known,
): Promise<FileLine | undefined> {
  const facts = { path, size, modifiedAt, mode };
  try {
    if (type === 'folder') return { ...facts, size: 0, folder: true };
    if (type === 'link') return { ...facts, size: 0, link: await readlink(join(root, path)) };
    const before = known?.get(path);
    if (before?.size === size && before.modifiedAt === modifiedAt && !before.folder && before.link === undefined) {
      if (before.content !== undefined) return { ...before, mode };
      if (before.hash !== undefined && (await store.has('objects', before.hash))) return { ...before, mode };
    }
    if (size <= inlineBytes) {
      const content = await readFile(join(root, path));
      if (content.length <= inlineBytes) return { ...facts, size: content.length, content: content.toString('base64') };
    }
    const kept = await store.addFile(join(root, path));
    return { ...facts, ...kept };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/**
 * All files below `root`. While others go on writing it looks again until nothing new has come: what one file was
 * replaced by (packs by one larger pack) is then in it.
 */
export async function backUpFolder(
  store: ObjectStore,
  root: string,
  { known, isLeftOut }: { known?: Known; isLeftOut?: (path: string) => boolean } = {},
): Promise<FileLine[]> {
  const kept = new Map<string, { found: Found; line: FileLine }>();
  for (let pass = 1; ; pass++) {
    const present = new Set<string>();
    let settled = true;
    for await (const file of walk(root, isLeftOut)) {
      present.add(file.path);
      const before = kept.get(file.path)?.found;
      if (before && before.size === file.size && before.modifiedAt === file.modifiedAt && before.inode === file.inode)
        continue;
      settled = false;
      const line = await backUpFile(store, root, file, known);
      if (line) kept.set(file.path, { found: file, line });
      else present.delete(file.path);
    }
    if (settled || pass === passes) {
      // after so many looks it is better to have too much than too little
      const lines = [...kept.values()].map((one) => one.line);
      return (settled ? lines.filter(({ path }) => present.has(path)) : lines).sort((a, b) =>
        a.path < b.path ? -1 : 1,
      );
    }
  }
}
