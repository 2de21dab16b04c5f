import { NotFound, type MemoryCache } from '@mortise/plugin-sdk';
import type { Commit, GitReader, GitRepository, TreeEntry } from '@mortise/git/api';
import type { WikiEntry, Wikis } from '../contract/wiki.js';
import { canonical, decodePath, fileOfName, isRuly, nameOfFile, pageEnding } from './page-names.js';
import { PageIndex, toEntry } from './page-index.js';
import { t } from '../texts/index.js';

/** Larger texts are answered without their content, as clients expect. */
const maxContentBytes = 10 << 20;
const maxAddressLength = 4096;
/** Of a longer list of files nothing is shown: a million pages. */
const maxListed = 96 << 20;

interface ReaderDeps {
  readonly git: GitReader;
  /** Files of a folder that were named without the rules, by their names in addresses, under the id of the tree. */
  readonly names: MemoryCache<ReadonlyMap<string, TreeEntry>>;
  /** Pages of all folders, under the id of the root tree. */
  readonly pages: MemoryCache<PageIndex>;
  /** What became of a page, under the repository, the commit and the path. */
  readonly revisions: MemoryCache<Revisions>;
  /** What stands beside every page, or that there is nothing, under the id of the root tree. */
  readonly asides: MemoryCache<WikiEntry | 'none'>;
  readonly defaultBranch: string;
}

export interface Revisions {
  /** Commits that changed the page, the newest first. */
  readonly oids: readonly string[];
  /** Those of them that took it away; it may have come back since. */
  readonly removals: ReadonlySet<string>;
}

interface ListOptions {
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

/** The wiki as it lies in git: which pages there are, and what stands in them (WIK-01). */
export class WikiReader implements Wikis {
  constructor(private readonly deps: ReaderDeps) {}

  open(repositoryId: number): GitRepository {
    return this.deps.git.open(repositoryId, 'wiki');
  }

  /** The branch that HEAD names, whatever it is called; when it is not there, one that is. */
  async head(repositoryId: number): Promise<{ branch: string; commit?: string }> {
    const git = this.open(repositoryId);
    const { branch, oid } = await git.head();
    if (oid) return { branch, commit: oid };
    const branches = await git.branches();
    const other =
      ['main', 'master'].map((name) => branches.find((one) => one.name === name)).find(Boolean) ?? branches[0];
    return other ? { branch: other.name, commit: other.oid } : { branch: branch || this.deps.defaultBranch };
  }

  /** The commit to read from; NotFound while there is no wiki. */
  async commit(repositoryId: number): Promise<string> {
    const { commit } = await this.head(repositoryId);
    if (!commit) throw NotFound(t.later('error.noPages'));
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
    if (!folders) {
      const files = (await this.open(repositoryId).tree(commit)).filter(isPage);
      const entries = files.slice(offset, offset + limit).map(({ name, oid }) => toEntry(name, oid));
      return { entries, total: files.length };
    }
    const index = await this.index(repositoryId, commit);
    const { from, to } = index.range(inside);
    return { entries: index.entries(from + offset, Math.min(to, from + offset + limit)), total: to - from };
  }

  /** The pages of all folders. Read without sizes of files, which git would have to look up one by one. */
  async index(repositoryId: number, commit: string): Promise<PageIndex> {
    const git = this.open(repositoryId);
    const { tree } = await git.commit(commit);
    const load = async () => new PageIndex(await git.run(['ls-tree', '-r', '-z', tree], { maxBytes: maxListed }));
    return this.deps.pages.load(tree, load, { size: ({ weight }) => weight });
  }

  /** A page beside others: by its very name, for nobody escapes it in another way. */
  async aside(repositoryId: number, name: '_Sidebar' | '_Footer', commit: string): Promise<WikiEntry | undefined> {
    const git = this.open(repositoryId);
    const { tree } = await git.commit(commit);
    const loaded = await this.deps.asides.load(`${tree}:${name}`, async () => {
      const entry = await git.entry(tree, name + pageEnding);
      return entry && isPage(entry) ? toEntry(entry.path, entry.oid) : 'none';
    });
    return loaded === 'none' ? undefined : loaded;
  }

  async find(repositoryId: number, address: string, at?: string): Promise<WikiEntry | undefined> {
    const commit = at ?? (await this.head(repositoryId)).commit;
    const segments = address.split('/').filter((part) => part && part !== '.' && part !== '..');
    if (!commit || !segments.length || address.length > maxAddressLength) return undefined;
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
    // below a folder that has two names
    const ruly = folder ? await git.entry(tree.oid, fileOfName(file)) : undefined;
    if (ruly && isPage(ruly)) return toEntry(join(folder, ruly.name), ruly.oid);
    const names = await this.deps.names.load(tree.oid, () => namesOf(git, tree.oid), {
      size: (map) => 200 + map.size * 200,
    });
    const entry = names.get(file);
    return entry && toEntry(join(folder, entry.name), entry.oid);
  }

  /** Text of a page; empty beyond {@link maxContentBytes}. */
  async text(repositoryId: number, entry: WikiEntry): Promise<Buffer> {
    const git = this.open(repositoryId);
    const size = (await git.info(entry.oid))?.size ?? 0;
    return size > maxContentBytes ? Buffer.alloc(0) : git.blob(entry.oid, maxContentBytes);
  }

  /** The newest commits of a page, and how many there are. One walk, however many pages of the list are asked for. */
  async history(
    repositoryId: number,
    commit: string,
    path: string,
    { offset = 0, limit = 1 }: { readonly offset?: number; readonly limit?: number } = {},
  ): Promise<{ commits: Commit[]; total: number; removals: ReadonlySet<string> }> {
    const git = this.open(repositoryId);
    const { oids, removals } = await this.deps.revisions.load(
      `${repositoryId}:${commit}:${path}`,
      () => revisionsOf(git, commit, path),
      { size: (found) => 300 + path.length + found.oids.length * 80 },
    );
    return { commits: await git.commits(oids.slice(offset, offset + limit)), total: oids.length, removals };
  }

  /** Pages of the root folder with their last commits: one pass over the history, however many. */
  async dated(repositoryId: number, commit: string, entries: readonly WikiEntry[]): Promise<DatedEntry[]> {
    if (!entries.length) return [];
    const git = this.open(repositoryId);
    const last = await git.lastCommits(commit, '');
    const oids = entries.map((entry) => last.get(entry.path) ?? commit);
    const commits = new Map((await git.commits([...new Set(oids)])).map((one) => [one.oid, one]));
    return entries.flatMap((entry, at) => {
      const commit = commits.get(oids[at]!);
      return commit ? [{ ...entry, last: commit }] : [];
    });
  }
}

/** Of files named without the rules: the others are found by the name itself, however many there are. */
async function namesOf(git: GitRepository, tree: string): Promise<ReadonlyMap<string, TreeEntry>> {
  const names = new Map<string, TreeEntry>();
  for (const entry of await git.tree(tree)) {
    const name = isPage(entry) && !isRuly(entry.name) ? nameOfFile(entry.name) : undefined;
    if (name !== undefined && !names.has(name)) names.set(name, entry);
  }
  return names;
}

async function revisionsOf(git: GitRepository, commit: string, path: string): Promise<Revisions> {
  const oids: string[] = [];
  const removals = new Set<string>();
  const output = await git.run(['log', '-z', '--format=%x01%H', '--name-status', '--no-renames', commit, '--', path]);
  for (const word of output.split('\0')) {
    if (word.startsWith('\u0001')) oids.push(Buffer.from(word.slice(1)).toString());
    else if (word === '\nD') removals.add(oids.at(-1)!);
  }
  return { oids, removals };
}
