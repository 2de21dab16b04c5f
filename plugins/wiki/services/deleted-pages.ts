import { Problem, type MemoryCache } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import { canonical, decodePath, nameOfFile, pageEnding } from './page-names.js';
import type { WikiReader } from './wiki-reader.js';

/** A page that there was, and is no more. */
export interface DeletedPage {
  readonly path: string;
  /** Name in addresses. */
  readonly name: string;
  /** The commit that took it away. */
  readonly removal: string;
  /** Where its text went in the same commit. */
  readonly movedTo?: string;
}

export type DeletedPages = ReadonlyMap<string, DeletedPage>;

/** The newest of them are known; what went before that is found in git. */
const maxDeletedPages = 10_000;
const maxCommits = 20_000;

/** Pages that were deleted or renamed, by their names, the newest first: found in the history, not written down. */
export class DeletedPageFinder {
  constructor(
    private readonly reader: WikiReader,
    private readonly known: MemoryCache<DeletedPages>,
    /** The head of each repository that was looked at last: what came since then is added. */
    private readonly heads: MemoryCache<string>,
  ) {}

  all(id: number, head: string): Promise<DeletedPages> {
    return this.known.load(`${id}:${head}`, () => this.#read(id, head), { size: (pages) => 200 + pages.size * 400 });
  }

  /** The page that an address named; undefined when there never was one. */
  async find(id: number, head: string, address: string): Promise<DeletedPage | undefined> {
    const pages = await this.all(id, head);
    const flat = address.split('/').filter(Boolean).join('%2F');
    const deep = flat.split(/%2F/i).join('/');
    const file = flat.endsWith(pageEnding) ? nameOfFile(decodePath(deep)) : undefined;
    return pages.get(canonical(flat)) ?? pages.get(canonical(deep)) ?? (file ? pages.get(file) : undefined);
  }

  async #read(id: number, head: string): Promise<DeletedPages> {
    const git = this.reader.open(id);
    const before = this.heads.get(String(id));
    const older = before === undefined ? undefined : this.known.get(`${id}:${before}`);
    const isNewer = before !== undefined && older && (await git.isAncestor(before, head));
    const removed = await removals(git, head, isNewer ? before : undefined);
    for (const [name, page] of (isNewer && older) || []) {
      if (removed.size >= maxDeletedPages) break;
      if (!removed.has(name)) removed.set(name, page);
    }
    // what was written again is there
    const index = await this.reader.index(id, head);
    const byPath = new Map([...removed.values()].map((page) => [page.path, page.name]));
    for (let row = 0; row < index.length && byPath.size > 0; row++) {
      const name = byPath.get(index.path(row));
      if (name !== undefined) removed.delete(name);
    }
    if (before !== undefined && before !== head) this.known.delete(`${id}:${before}`);
    this.heads.set(String(id), head);
    return removed;
  }
}

/** What commits took away; exact copies in the same commit are renames. */
async function removals(git: GitRepository, head: string, since?: string): Promise<Map<string, DeletedPage>> {
  const pages = new Map<string, DeletedPage>();
  const args = ['log', '-z', '--format=%x01%H', '--name-status', '-M100%', '--diff-filter=DR'];
  const output = await git
    .run([...args, `--max-count=${maxCommits}`, head, ...(since ? [`^${since}`] : []), '--'])
    .catch((error: unknown) => {
      // a history that is too long to be looked at: git still has it
      if (Problem.is(error) && (error.code === 'unavailable' || error.code === 'too_large')) return '';
      throw error;
    });
  const words = output.split('\0');
  let removal = '';
  for (let at = 0; at < words.length - 1 && pages.size < maxDeletedPages;) {
    const word = words[at++]!.trimStart();
    if (word.startsWith('\u0001')) {
      removal = word.slice(1);
      continue;
    }
    const path = words[at++] ?? '';
    const movedTo = word.startsWith('R') ? words[at++] : undefined;
    const name = nameOfFile(path);
    if (name !== undefined && !pages.has(name))
      pages.set(name, { path, name, removal, ...(movedTo && nameOfFile(movedTo) ? { movedTo } : {}) });
  }
  return pages;
}
