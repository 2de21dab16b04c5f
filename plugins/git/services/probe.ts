/** Looks at a small repository without a process: most of a site are so small that starting one is all it would cost. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readLoose } from './loose-objects.js';
import { objectId } from './objects.js';
import { objectFormatOf, readHead } from './store.js';
import { isFolder } from './alternates.js';

/** With more references a process is the faster. */
const maxRefs = 50;
const maxDepth = 5;

const configLine = /^\s*(?:\[[\w.-]+(?: "[^"\\]*")?\]|[A-Za-z][\w-]*\s*=[^"\\]*|[#;].*)?$/;

/**
 * Whether git would read everything that references name: true, or undefined where only git can tell. True is said of
 * nothing but what was seen whole: loose references to loose commits (or tags of such) that have their ids.
 */
export async function probeRepository(folder: string): Promise<true | undefined> {
  const objects = join(folder, 'objects');
  if (!(await isFolder(objects)) || !(await readHead(folder))) return undefined;
  const config = await readFile(join(folder, 'config'), 'utf8').catch(() => '[');
  if (!config.split('\n').every((line) => configLine.test(line))) return undefined;
  const packed = await readFile(join(folder, 'packed-refs'), 'utf8').catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? '' : 'unreadable',
  );
  if (packed !== '') return undefined;
  const oids = await looseRefs(folder);
  if (!oids || oids.size > maxRefs) return undefined;
  const format = await objectFormatOf(folder);
  for (let depth = 0, left = [...oids]; left.length > 0; depth++) {
    if (depth > maxDepth) return undefined;
    const next: string[] = [];
    for (const oid of left) {
      const object = await readLoose(objects, oid);
      if (!object || objectId(object.type, object.content, format) !== oid) return undefined;
      if (object.type === 'commit') continue;
      const [, target] = /^object ([0-9a-f]{40,64})\n/.exec(object.content.toString('latin1', 0, 100)) ?? [];
      if (object.type !== 'tag' || !target) return undefined;
      next.push(target);
    }
    left = next;
  }
  return true;
}

/** What loose references name; undefined when one of them is anything else than an object id. */
async function looseRefs(folder: string): Promise<Set<string> | undefined> {
  const oids = new Set<string>();
  try {
    for (const entry of await readdir(join(folder, 'refs'), { withFileTypes: true, recursive: true })) {
      if (entry.isDirectory()) continue;
      if (!entry.isFile()) return undefined;
      const text = await readFile(join(entry.parentPath ?? entry.path, entry.name), 'latin1');
      const [, oid] = /^([0-9a-f]{40}|[0-9a-f]{64})\n?$/.exec(text) ?? [];
      if (!oid) return undefined;
      oids.add(oid);
      if (oids.size > maxRefs) return undefined;
    }
  } catch {
    return undefined;
  }
  return oids;
}
