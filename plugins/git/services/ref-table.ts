/** All references of a repository in memory, read from git's files (gitrepository-layout: refs/, packed-refs, HEAD). */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemoryCache } from '@mortise/plugin-sdk';
import type { Ref } from '../api.js';
import { readHead } from './store.js';
import type { RefFingerprints } from './ref-fingerprints.js';
import { hasRepository } from './storages.js';

export interface RefTable {
  /** Branch that HEAD names; empty when there is no repository. */
  readonly head: string;
  /** By full name, in order of name. */
  readonly byRef: ReadonlyMap<string, Ref>;
  readonly all: readonly Ref[];
  /** Tag object → what it finally names, as far as git has noted it. */
  readonly peeled: ReadonlyMap<string, string>;
  /** Everything that a reference names, tags also peeled as far as git has noted it. */
  readonly tips: ReadonlySet<string>;
  readonly branches: readonly Ref[];
  readonly tags: readonly Ref[];
  /** Changes whenever any reference does. */
  readonly version: string;
}

const empty: RefTable = {
  head: '',
  byRef: new Map(),
  all: [],
  peeled: new Map(),
  tips: new Set(),
  branches: [],
  tags: [],
  version: '',
};
/** How the version of a table begins that must not be kept. */
export const unsettled = 'unsettled';
const prefixes = ['refs/heads/', 'refs/tags/'];
/** Of the server itself, and nobody else's business. */
const own = 'refs/mortise';

function shortName(ref: string): string {
  const prefix = prefixes.find((start) => ref.startsWith(start));
  return prefix ? ref.slice(prefix.length) : ref;
}

/** A process may have only so many files open, and repositories can have more references than that. */
const readAtOnce = 64;

async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += readAtOnce)
    results.push(...(await Promise.all(items.slice(at, at + readAtOnce).map(work))));
  return results;
}

/** Gone meanwhile. Whatever else fails must not look like references that are not there. */
function nothingThere(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(error.code ?? '')) throw error;
}

async function readLooseRefs(folder: string): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  for (let folders = ['refs']; folders.length > 0;) {
    const lists = await inBatches(folders, async (parent) => {
      const entries = await readdir(join(folder, parent), { withFileTypes: true }).catch(nothingThere);
      return (entries ?? []).map((entry) => ({ name: `${parent}/${entry.name}`, isFolder: entry.isDirectory() }));
    });
    const entries = lists.flat();
    folders = entries.filter(({ name, isFolder }) => isFolder && name !== own).map(({ name }) => name);
    const files = entries.filter(({ name, isFolder }) => !isFolder && !name.endsWith('.lock'));
    await inBatches(files, async ({ name }) => {
      const oid = (await readFile(join(folder, name), 'latin1').catch(nothingThere))?.trim() ?? '';
      if (/^[0-9a-f]{40,64}$/.test(oid)) refs.set(name, oid);
    });
  }
  return refs;
}

async function readTable(folder: string, version: string): Promise<RefTable> {
  const head = await readHead(folder);
  if (!head) {
    const detached = await readFile(join(folder, 'HEAD'), 'utf8').catch(nothingThere);
    if (detached === undefined) {
      await hasRepository(folder); // throws where its disk is away
      return empty;
    }
  }
  // loose first: packing moves references from loose to packed, never back
  const loose = await readLooseRefs(folder);
  const all = new Map<string, string>();
  const peeled = new Map<string, string>();
  let last = '';
  for (const line of ((await readFile(join(folder, 'packed-refs'), 'utf8').catch(nothingThere)) ?? '').split('\n')) {
    if (!line || line.startsWith('#')) continue;
    if (line.startsWith('^')) peeled.set(last, line.slice(1));
    else {
      const space = line.indexOf(' ');
      last = line.slice(0, space);
      if (!line.startsWith(`${own}/`, space + 1)) all.set(line.slice(space + 1), last);
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
  return {
    head,
    byRef,
    all: [...byRef.values()],
    peeled,
    tips: new Set([...all.values(), ...peeled.values()]),
    branches,
    tags,
    version,
  };
}

/** git orders references by bytes; JavaScript compares UTF-16, which differs beyond the basic plane only. */
function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** About what a reference takes in memory, with its two strings and its places in the lists and maps of a table. */
const bytesPerRef = 300;

export class RefTables {
  private readonly loading = new Map<string, Promise<RefTable>>();

  constructor(
    private readonly fingerprints: RefFingerprints,
    private readonly tables: Pick<MemoryCache<RefTable>, 'get' | 'set' | 'delete'>,
  ) {}

  async get(folder: string): Promise<RefTable> {
    const fingerprint = await this.fingerprints.read(folder);
    if (!fingerprint) return readTable(folder, `${unsettled} ${Math.random()}`);
    const known = this.tables.get(folder);
    if (known?.version === fingerprint) return known;
    const key = `${folder}\0${fingerprint}`;
    const running = this.loading.get(key);
    if (running) return running;
    const load = readTable(folder, fingerprint)
      .then(async (table) => {
        // moved while it was read: right for now, but not to be kept
        if ((await this.fingerprints.read(folder)) === fingerprint)
          this.tables.set(folder, table, { size: table.all.length * bytesPerRef });
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
