import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Folders of objects that the repository reads along (gitrepository-layout(5)); Mortise itself makes none. */
export async function alternatesIn(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'objects', 'info', 'alternates'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => resolve(folder, 'objects', line));
}

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
