import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { matchesPatterns } from '@mortise/actions/workflow';

const maxFiles = 200_000;

/** Files below a folder, as paths with slashes in their order; links are not followed, `.git` is left out. */
export function filesBelow(folder: string): string[] {
  const paths: string[] = [];
  const open = [''];
  while (open.length > 0) {
    const at = open.pop()!;
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory() && path !== '.git') open.push(path);
      else if (entry.isFile()) paths.push(path);
      if (paths.length + open.length > maxFiles) throw new Error(`there are more than ${maxFiles} files`);
    }
  }
  return paths.sort();
}

/** Lines and arguments as one list of patterns, without what leads to the folder itself. */
export const patternList = (patterns: readonly string[], folder: string): string[] =>
  patterns
    .flatMap((text) => text.split('\n'))
    .map((text) => text.trim())
    .filter((text) => text !== '' && !text.startsWith('#'))
    .map((text) => {
      const not = text.startsWith('!') ? '!' : '';
      const path = text
        .slice(not.length)
        .replace(`${folder}/`, '')
        .replace(/^(?:\.\/)+/, '');
      return not + path.replace(/\/+$/, '');
    });

/**
 * `hashFiles()`: one hash over those of all files that match; empty when none does. A file that is not that of the job's user
 * is an error.
 */
export function hashFiles(patterns: readonly string[], folder: string, uid?: number): string {
  const list = patternList(patterns, folder);
  const hash = createHash('sha256');
  let count = 0;
  for (const path of filesBelow(folder)) {
    if (!matchesPatterns(list, path)) continue;
    count++;
    hash.update(hashOf(join(folder, path), uid));
  }
  return count === 0 ? '' : hash.digest('hex');
}

function hashOf(path: string, uid: number | undefined): Buffer {
  const hash = createHash('sha256');
  const part = Buffer.alloc(65_536);
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || (uid !== undefined && stat.uid !== uid)) throw new Error('a file is not that of the job');
    for (let read = readSync(file, part); read > 0; read = readSync(file, part)) hash.update(part.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest();
}
