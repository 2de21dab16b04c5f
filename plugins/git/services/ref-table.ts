/** All references of a repository in memory, read from git's files (gitrepository-layout: refs/, packed-refs, HEAD). */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Ref } from '../api.js';
import { readHead } from './store.js';
import { readStamp } from './stamp.js';

export interface RefTable {
  /** Branch that HEAD names; empty when there is no repository. */
  readonly head: string;
  /** By full name, in order of name. */
  readonly byRef: ReadonlyMap<string, Ref>;
  readonly all: readonly Ref[];
  /** Tag object → what it finally names, as far as git has noted it. */
  readonly peeled: ReadonlyMap<string, string>;
  readonly branches: readonly Ref[];
  readonly tags: readonly Ref[];
  /** Changes whenever any reference does. */
  readonly version: string;
}

const empty: RefTable = { head: '', byRef: new Map(), all: [], peeled: new Map(), branches: [], tags: [], version: '' };
const prefixes = ['refs/heads/', 'refs/tags/'];

export function shortName(ref: string): string {
  const prefix = prefixes.find((start) => ref.startsWith(start));
  return prefix ? ref.slice(prefix.length) : ref;
}

async function readLooseRefs(folder: string, ref: string, found: Map<string, string>): Promise<void> {
  const entries = await readdir(join(folder, ref), { withFileTypes: true }).catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      const name = `${ref}/${entry.name}`;
      if (entry.isDirectory()) return readLooseRefs(folder, name, found);
      if (entry.name.endsWith('.lock')) return;
      const oid = (await readFile(join(folder, name), 'latin1').catch(() => '')).trim();
      if (/^[0-9a-f]{40,64}$/.test(oid)) found.set(name, oid);
    }),
  );
}

async function readTable(folder: string, version: string): Promise<RefTable> {
  const loose = new Map<string, string>();
  const head = await readHead(folder);
  if (!head) {
    const detached = await readFile(join(folder, 'HEAD'), 'utf8').catch(() => undefined);
    if (detached === undefined) return empty;
  }
  // loose first: packing moves references from loose to packed, never back
  await readLooseRefs(folder, 'refs', loose);
  const all = new Map<string, string>();
  const peeled = new Map<string, string>();
  let last = '';
  for (const line of (await readFile(join(folder, 'packed-refs'), 'utf8').catch(() => '')).split('\n')) {
    if (!line || line.startsWith('#')) continue;
    if (line.startsWith('^')) peeled.set(last, line.slice(1));
    else {
      const space = line.indexOf(' ');
      last = line.slice(0, space);
      all.set(line.slice(space + 1), last);
    }
  }
  for (const [ref, oid] of loose) all.set(ref, oid);
  const byRef = new Map<string, Ref>();
  const branches: Ref[] = [];
  const tags: Ref[] = [];
  for (const ref of [...all.keys()].sort(compareBytes)) {
    const entry: Ref = { ref, name: shortName(ref), oid: all.get(ref) as string };
    byRef.set(ref, entry);
    if (ref.startsWith('refs/heads/')) branches.push(entry);
    else if (ref.startsWith('refs/tags/')) tags.push(entry);
  }
  return { head, byRef, all: [...byRef.values()], peeled, branches, tags, version };
}

/** git orders references by bytes; JavaScript compares UTF-16, which differs beyond the basic plane only. */
function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export class RefTables {
  private readonly tables = new LRUCache<string, RefTable>({ max: 500 });
  private readonly loading = new Map<string, Promise<RefTable>>();

  async get(folder: string): Promise<RefTable> {
    const stamp = readStamp(folder);
    if (!stamp) return readTable(folder, `unsettled ${Math.random()}`);
    const known = this.tables.get(folder);
    if (known?.version === stamp) return known;
    const key = `${folder}\0${stamp}`;
    const running = this.loading.get(key);
    if (running) return running;
    const load = readTable(folder, stamp)
      .then((table) => {
        // moved while it was read: right for now, but not to be kept
        if (readStamp(folder) === stamp) this.tables.set(folder, table);
        return table;
      })
      .finally(() => this.loading.delete(key));
    this.loading.set(key, load);
    return load;
  }

  release(folder: string): void {
    this.tables.delete(folder);
  }
}
