import { NotFound, type MemoryCache } from '@mortise/plugin-sdk';
import type { Commit, GitReader, GitRepository, TreeEntry } from '@mortise/git/api';
import type { WikiEntry, Wikis } from '../api.js';
import { canonical, decodePath, fileOfName, nameOfFile, pageEnding, titleOfFile } from './names.js';

/** Larger texts are answered without their content, as clients expect. */
export const mostContent = 10 << 20;
const longestAddress = 4096;

export interface ReaderParts {
  readonly git: GitReader;
  /** Files of a folder by their names in addresses, under the id of the tree. */
  readonly names: MemoryCache<ReadonlyMap<string, TreeEntry>>;
  /** Pages of all folders, under the id of the root tree. */
  readonly files: MemoryCache<readonly PageFile[]>;
  readonly defaultBranch: string;
}

export interface PageFile {
  readonly path: string;
  readonly oid: string;
}

export interface ListOptions {
  /** Pages in folders too. */
  readonly folders?: boolean;
  /** Only those below this folder; with `folders`. */
  readonly inside?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** A page with its place in history. */
export interface DatedEntry extends WikiEntry {
  readonly last: Commit;
}

const isPage = (entry: TreeEntry) =>
  entry.type === 'blob' && entry.mode !== '120000' && entry.name.endsWith(pageEnding) && entry.name !== pageEnding;
const join = (folder: string, name: string) => (folder ? `${folder}/${name}` : name);
const toEntry = (path: string, oid: string): WikiEntry => ({
  path,
  oid,
  name: nameOfFile(path) ?? path,
  title: titleOfFile(path),
});

/** The wiki as it lies in git: which pages there are, and what stands in them (WIK-01). */
export class WikiReader implements Wikis {
  constructor(private readonly parts: ReaderParts) {}

  open(repositoryId: number): GitRepository {
    return this.parts.git.open(repositoryId, 'wiki');
  }

  /** The branch that HEAD names, whatever it is called; when it is not there, one that is. */
  async head(repositoryId: number): Promise<{ branch: string; commit?: string }> {
    const git = this.open(repositoryId);
    const { branch, oid } = await git.head();
    if (oid) return { branch, commit: oid };
    const branches = await git.branches();
    const other =
      ['main', 'master'].map((name) => branches.find((one) => one.name === name)).find(Boolean) ?? branches[0];
    return other ? { branch: other.name, commit: other.oid } : { branch: branch || this.parts.defaultBranch };
  }

  /** The commit to read from; NotFound while there is no wiki. */
  async commit(repositoryId: number): Promise<string> {
    const { commit } = await this.head(repositoryId);
    if (!commit) throw NotFound('the wiki has no pages yet');
    return commit;
  }

  async pages(
    repositoryId: number,
    { folders = false }: { readonly folders?: boolean } = {},
  ): Promise<readonly WikiEntry[] | undefined> {
    const { commit } = await this.head(repositoryId);
    return commit === undefined ? undefined : (await this.list(repositoryId, commit, { folders })).entries;
  }

  /** A part of the pages, in git's order; names are made for that part only, for a wiki may have many thousands. */
  async list(
    repositoryId: number,
    commit: string,
    { folders = false, inside = '', offset = 0, limit = Infinity }: ListOptions = {},
  ): Promise<{ entries: WikiEntry[]; total: number }> {
    const files = folders ? await this.#deep(repositoryId, commit) : await this.#flat(repositoryId, commit);
    const pages = inside ? files.filter((file) => file.path.startsWith(`${inside}/`)) : files;
    return {
      entries: pages.slice(offset, offset + limit).map((file) => toEntry(file.path, file.oid)),
      total: pages.length,
    };
  }

  async #flat(repositoryId: number, commit: string): Promise<readonly PageFile[]> {
    const entries = await this.open(repositoryId).tree(commit);
    return entries.filter(isPage).map(({ name, oid }) => ({ path: name, oid }));
  }

  async #deep(repositoryId: number, commit: string): Promise<readonly PageFile[]> {
    const git = this.open(repositoryId);
    const { tree } = await git.commit(commit);
    const load = async () => {
      const { entries } = await git.treeRecursive(tree, { limit: Number.MAX_SAFE_INTEGER });
      return entries.filter(isPage).map(({ path, oid }) => ({ path, oid }));
    };
    return this.parts.files.load(tree, load, { size: (files) => 200 + files.length * 200 });
  }

  async find(repositoryId: number, address: string, at?: string): Promise<WikiEntry | undefined> {
    const commit = at ?? (await this.head(repositoryId)).commit;
    const segments = address.split('/').filter((part) => part && part !== '.' && part !== '..');
    if (!commit || !segments.length || address.length > longestAddress) return undefined;
    const git = this.open(repositoryId);
    // a slash belongs to the title as long as no folder has the page
    const flat = segments.join('%2F');
    const deep = flat
      .split(/%2F/i)
      .filter((part) => !/^\.{0,2}$/.test(part))
      .join('/');
    const files = new Set([flat + pageEnding, fileOfName(flat), deep + pageEnding, fileOfName(deep)]);
    if (flat.endsWith(pageEnding)) files.add(decodePath(deep));
    for (const path of files) {
      const entry = /(^|\/)\.{0,2}(\/|$)/.test(path) ? undefined : await git.entry(commit, path);
      if (entry && isPage(entry)) return toEntry(entry.path, entry.oid);
    }
    return (await this.#unruly(git, commit, flat)) ?? (await this.#unruly(git, commit, deep));
  }

  /** Files whose names were made without the rules, such as `Two Words.md`: found by the name that they get. */
  async #unruly(git: GitRepository, commit: string, name: string): Promise<WikiEntry | undefined> {
    const wanted = canonical(name).split('/');
    const file = wanted.pop()!;
    let folder = '';
    for (const part of wanted) {
      const entries = await git.tree((await git.entry(commit, folder))!.oid);
      const plain = decodePath(part.replace(/\.-$/, '').replace(/\+/g, ' '));
      const next = entries.find(
        (entry) => entry.type === 'tree' && (entry.name === plain || nameOfFile(entry.name + pageEnding) === part),
      );
      if (!next) return undefined;
      folder = join(folder, next.name);
    }
    const tree = await git.entry(commit, folder);
    if (tree?.type !== 'tree') return undefined;
    const names = await this.parts.names.load(tree.oid, () => namesOf(git, tree.oid), {
      size: (map) => 200 + map.size * 200,
    });
    const entry = names.get(file);
    return entry && toEntry(join(folder, entry.name), entry.oid);
  }

  /** Text of a page; empty beyond {@link mostContent}. */
  async text(repositoryId: number, entry: WikiEntry): Promise<Buffer> {
    const git = this.open(repositoryId);
    const size = (await git.info(entry.oid))?.size ?? 0;
    return size > mostContent ? Buffer.alloc(0) : git.blob(entry.oid, mostContent);
  }

  /** The newest commits of a page, and how many there are. */
  history(
    repositoryId: number,
    commit: string,
    path: string,
    { offset = 0, limit = 1 }: { readonly offset?: number; readonly limit?: number } = {},
  ): Promise<{ commits: Commit[]; total: number }> {
    return this.open(repositoryId).log({ from: [commit], path, offset, limit });
  }

  /** Pages of the root folder with their last commits: one pass over the history, however many. */
  async dated(repositoryId: number, commit: string, entries: readonly WikiEntry[]): Promise<DatedEntry[]> {
    if (!entries.length) return [];
    const git = this.open(repositoryId);
    const last = await git.lastCommits(commit, '');
    const oids = entries.map((entry) => last.get(entry.path) ?? commit);
    const commits = new Map((await git.commits([...new Set(oids)])).map((one) => [one.oid, one]));
    return entries.flatMap((entry, at) => {
      const found = commits.get(oids[at]!);
      return found ? [{ ...entry, last: found }] : [];
    });
  }
}

async function namesOf(git: GitRepository, tree: string): Promise<ReadonlyMap<string, TreeEntry>> {
  const names = new Map<string, TreeEntry>();
  for (const entry of await git.tree(tree)) {
    const name = isPage(entry) ? nameOfFile(entry.name) : undefined;
    if (name !== undefined && !names.has(name)) names.set(name, entry);
  }
  return names;
}
