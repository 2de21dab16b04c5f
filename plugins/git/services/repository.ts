/** One repository for reading: references, objects, history and differences behind one face. */
import type { Readable } from 'node:stream';
import { NotFound, Problem } from '@mortise/plugin-sdk';
import {
  isCorruptObject,
  type AnnotatedTag,
  type BlameLine,
  type ChangeOptions,
  type ChangePage,
  type Commit,
  type FileAttributes,
  type FileChange,
  type GitRepository,
  type PatchOptions,
  type PathEntry,
  type Ref,
  type RepositoryKind,
  type ResolvedName,
  type TreeEntry,
} from '../api.js';
import type { CommitParents, LogOptions } from '../contract/reading.js';
import type { ObjectFormat, ObjectType } from '../contract/names.js';
import { bundle } from './bundle.js';
import { Differences } from './differences.js';
import { History } from './history.js';
import { storeHomePageData, readHomePageData, type HomePageData } from './home-page-data.js';
import { advance } from './last-commits.js';
import type { FormerTips } from './former-tips.js';
import type { LanguageTable } from './language-table.js';
import { attributesOf } from './generated-files.js';
import { countLanguages } from './languages.js';
import { whole } from './listing.js';
import { Listings } from './listings.js';
import { isQuarantined } from './environment.js';
import { findNote } from './notes.js';
import { ObjectReader, type ReaderDeps } from './object-reader.js';
import type { RefTables } from './ref-table.js';
import { Reachable } from './reachable.js';
import { References } from './references.js';
import { Revisions } from './revisions.js';
import { search, type Hit, type SearchOptions } from './search.js';
import { objectFormatOf } from './store.js';

export interface RepositoryDeps extends ReaderDeps {
  readonly tables: RefTables;
  readonly languages: LanguageTable;
  readonly temporary: string;
  /** Known once there is a database. */
  formerTips?: Pick<FormerTips, 'has'>;
}

export class Repository implements GitRepository {
  private readonly objects: ObjectReader;
  private readonly history: History;
  private readonly differences: Differences;
  private readonly listings: Listings;
  private readonly references: References;
  private readonly revisions: Revisions;
  private readonly key: string;

  constructor(
    readonly id: number,
    readonly kind: RepositoryKind,
    readonly path: string,
    private readonly deps: RepositoryDeps,
    private readonly environment?: Readonly<Record<string, string>>,
    /** Repositories whose objects are seen too; the environment names their folders. */
    others: readonly number[] = [],
  ) {
    this.key = `${[id, ...others].join('+')}${kind === 'wiki' ? 'w' : ''}:`;
    const format = () => this.objectFormat();
    this.objects = new ObjectReader(path, isQuarantined(environment) ? undefined : this.key, deps, format, environment);
    const cached = (commit: string) => this.homePageData(commit);
    this.history = new History(path, this.key, deps.runner, deps.caches, cached, environment);
    this.differences = new Differences(path, this.key, deps.runner, deps.caches, format, environment, (oid) =>
      this.objects.encodingOf(oid),
    );
    this.listings = new Listings(path, this.key, deps.runner, deps.caches, environment);
    this.references = new References(path, deps.tables);
    this.revisions = new Revisions({
      key: this.key,
      caches: deps.caches,
      references: this.references,
      objects: this.objects,
      reachable: new Reachable(path, this.key, deps.runner, deps.caches, environment),
      info: (oid) => this.info(oid),
      isFormerTip: async (oid) => (await deps.formerTips?.has(id, kind, oid)) ?? false,
      isQuarantined: isQuarantined(environment),
    });
  }

  objectFormat(): Promise<ObjectFormat> {
    return this.deps.caches.result(`${this.key}format`, () => objectFormatOf(this.path));
  }

  // ---------------------------------------------------------------- references

  isEmpty(): Promise<boolean> {
    return this.references.isEmpty();
  }

  state(): Promise<string | undefined> {
    return this.references.state();
  }

  head(): Promise<{ branch: string; ref: string; oid?: string }> {
    return this.references.head();
  }

  refs(prefix?: string): Promise<readonly Ref[]> {
    return this.references.list(prefix);
  }

  async branches(): Promise<readonly Ref[]> {
    return (await this.references.table()).branches;
  }

  async tags(): Promise<readonly Ref[]> {
    return (await this.references.table()).tags;
  }

  ref(ref: string): Promise<Ref | undefined> {
    return this.references.find(ref);
  }

  branch(name: string): Promise<Ref | undefined> {
    return this.ref(`refs/heads/${name}`);
  }

  tag(name: string): Promise<Ref | undefined> {
    return this.ref(`refs/tags/${name}`);
  }

  resolve(name: string): Promise<ResolvedName | undefined> {
    return this.revisions.resolve(name);
  }

  peel(oid: string): Promise<{ oid: string; type: ObjectType } | undefined> {
    return this.objects.peel(oid);
  }

  expand(prefix: string): Promise<string | undefined> {
    return this.revisions.expand(prefix);
  }

  isReadable(oid: string): Promise<boolean> {
    return this.revisions.isReadable(oid);
  }

  // ---------------------------------------------------------------- objects

  async info(oid: string): Promise<{ type: ObjectType; size: number } | undefined> {
    return (await this.references.isMissing()) ? undefined : this.objects.info(oid);
  }

  commit(oid: string): Promise<Commit> {
    return this.objects.commit(oid);
  }

  async commits(oids: readonly string[]): Promise<Commit[]> {
    const commits = await Promise.all(oids.map((oid) => this.objects.findCommit(oid)));
    return commits.filter((commit): commit is Commit => commit !== undefined);
  }

  annotatedTag(oid: string): Promise<AnnotatedTag> {
    return this.objects.tag(oid);
  }

  tree(oid: string): Promise<readonly TreeEntry[]> {
    return this.objects.tree(oid);
  }

  entry(commitOrTree: string, path: string): Promise<PathEntry | undefined> {
    return this.objects.entry(commitOrTree, path);
  }

  async treeRecursive(
    commitOrTree: string,
    options: { offset?: number; limit?: number; path?: string } = {},
  ): Promise<{ entries: PathEntry[]; total: number }> {
    const root = await this.entry(commitOrTree, options.path ?? '');
    if (root?.type !== 'tree') throw new Problem('not_found', 'tree does not exist');
    return this.listings.page(root.oid, options.offset, options.limit);
  }

  blob(oid: string, maxBytes = 50 * 1024 * 1024): Promise<Buffer> {
    return this.objects.blob(oid, maxBytes);
  }

  blobStream(oid: string, range?: { start: number; end?: number }): Promise<{ size: number; stream: Readable }> {
    return this.objects.blobStream(oid, range);
  }

  raw(oid: string): Promise<{ type: ObjectType; content: Buffer } | undefined> {
    return this.objects.raw(oid);
  }

  // ---------------------------------------------------------------- history

  async log(options: LogOptions): Promise<{ commits: Commit[]; total: number }> {
    whole(...options.from, ...(options.not ?? []));
    const { oids, total } = await this.history.log(
      options,
      await this.objects.pathBytes(options.from[0], options.path),
    );
    return { commits: await this.commits(oids), total };
  }

  async count(oid: string, not?: readonly string[]): Promise<number> {
    whole(oid, ...(not ?? []));
    return this.history.count(oid, not);
  }

  async lastCommit(commit: string, path: string): Promise<string | undefined> {
    whole(commit);
    return this.history.lastCommit(commit, path, await this.objects.pathBytes(commit, path));
  }

  async lastCommits(commit: string, path: string): Promise<ReadonlyMap<string, string>> {
    const folder = await this.entry(commit, path);
    if (folder?.type !== 'tree') return new Map();
    const names = (await this.tree(folder.oid)).map((entry) => entry.name);
    const { oid, parents } = await this.commit(commit);
    const before = parents.length === 1 ? this.history.knownLastCommits(parents[0] as string, folder.path) : undefined;
    return this.history.lastCommits(
      oid,
      folder.path,
      names,
      before && (() => advance(this.differences, before, { parent: parents[0] as string, commit: oid, folder, names })),
    );
  }

  async mergeBase(one: string, other: string): Promise<string | undefined> {
    whole(one, other);
    return this.history.mergeBase(one, other);
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    whole(ancestor, descendant);
    return this.history.isAncestor(ancestor, descendant);
  }

  async aheadBehind(base: string, head: string): Promise<{ ahead: number; behind: number }> {
    whole(base, head);
    return this.history.aheadBehind(base, head);
  }

  async refsContaining(oid: string, prefix: 'refs/heads/' | 'refs/tags/' = 'refs/heads/'): Promise<Ref[]> {
    whole(oid);
    const table = await this.references.table();
    const names = await this.history.containing(oid, prefix);
    return names.map((name) => table.byRef.get(name)).filter((ref): ref is Ref => ref !== undefined);
  }

  // ---------------------------------------------------------------- differences

  async changes(from: string | undefined, to: string, options?: ChangeOptions): Promise<readonly FileChange[]> {
    whole(from, to);
    return this.differences.changes(from, to, options);
  }

  async changePage(from: string | undefined, to: string, at = 0): Promise<ChangePage> {
    whole(from, to);
    return this.differences.page(from, to, at);
  }

  async commitChanges(commit: string, options?: ChangeOptions): Promise<readonly FileChange[]> {
    const { oid, parents } = await this.commit(commit);
    return this.differences.changes(parents[0], oid, options);
  }

  async commitsChanges(
    commits: readonly CommitParents[],
    options?: ChangeOptions,
  ): Promise<ReadonlyMap<string, readonly FileChange[]>> {
    whole(...commits.flatMap(({ oid, parents }) => [oid, ...parents]));
    return this.differences.ofCommits(commits, options);
  }

  patch(from: string | undefined, to: string, options?: PatchOptions): Readable {
    whole(from, to);
    return this.differences.patch(from, to, options);
  }

  async patchText(from: string | undefined, to: string, options?: PatchOptions, maxBytes?: number): Promise<string> {
    whole(from, to);
    return this.differences.patchText(from, to, options, maxBytes);
  }

  async blame(commit: string, path: string): Promise<BlameLine[]> {
    whole(commit);
    const entry = await this.entry(commit, path);
    const encoding = entry?.type === 'blob' ? await this.objects.encodingOf(entry.oid) : undefined;
    return this.history.blame(commit, path, encoding);
  }

  // ---------------------------------------------------------------- the rest

  archive(
    commit: string,
    options: { format: 'zip' | 'tar.gz' | 'tar' | 'bundle'; prefix?: string; paths?: readonly string[] },
  ): Readable {
    whole(commit);
    if (options.format === 'bundle') return bundle(this.deps, this.path, commit, this.objectFormat());
    const prefix = options.prefix ? [`--prefix=${options.prefix.replace(/\/*$/, '/')}`] : [];
    return this.deps.runner.stream(
      ['archive', `--format=${options.format}`, ...prefix, commit, '--', ...(options.paths ?? [])],
      { cwd: this.path, environment: this.environment },
    );
  }

  async languages(commit: string): Promise<Readonly<Record<string, number>>> {
    try {
      return await this.countedLanguages(commit);
    } catch (error) {
      // nobody's page or answer fails for want of this
      if (isCorruptObject(error) || (Problem.is(error) && error.code === 'too_large')) return {};
      throw error;
    }
  }

  async fileAttributes(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, FileAttributes>> {
    try {
      return await attributesOf(
        {
          entry: (path) => this.entry(commit, path),
          size: async (oid) => (await this.info(oid))?.size ?? Infinity,
          blob: (oid) => this.blob(oid),
        },
        paths,
      );
    } catch (error) {
      if (isCorruptObject(error)) return new Map();
      throw error;
    }
  }

  private countedLanguages(commit: string): Promise<Readonly<Record<string, number>>> {
    return this.deps.caches.result(`${this.key}languages\0${commit}`, async () => {
      const cached = await this.homePageData(commit);
      if (cached) return cached.languages;
      const root = await this.objects.findTree(commit);
      if (!root) throw NotFound('tree');
      return countLanguages(this.deps.languages, {
        each: (visit) => this.listings.each(root.oid, visit),
        blob: (oid) => this.blob(oid),
      });
    });
  }

  private homePageData(commit: string): Promise<HomePageData | undefined> {
    if (isQuarantined(this.environment)) return Promise.resolve(undefined);
    return this.deps.caches.result(`${this.key}home\0${commit}`, () => readHomePageData(this.path, commit));
  }

  async prepareHome(commit: string): Promise<void> {
    const [count, languages, lastCommits] = await Promise.all([
      this.count(commit),
      this.countedLanguages(commit),
      this.lastCommits(commit, ''),
    ]);
    await storeHomePageData(this.path, { commit, count, languages, lastCommits: Object.fromEntries(lastCommits) });
  }

  async note(commit: string): Promise<{ oid: string; message: string } | undefined> {
    const notes = await this.ref('refs/notes/commits');
    const entry = notes && (await findNote(this, notes.oid, commit));
    return entry && { oid: entry.oid, message: (await this.blob(entry.oid)).toString('utf8') };
  }

  async grep(commit: string, pattern: string, options: SearchOptions = {}): Promise<Hit[]> {
    whole(commit);
    const encodingOfFile = async (path: string) => {
      const entry = await this.entry(commit, path);
      return entry && this.objects.encodingOf(entry.oid);
    };
    const place = { cwd: this.path, environment: this.environment };
    return search(this.deps.runner, place, commit, pattern, encodingOfFile, options);
  }

  run(
    args: readonly string[],
    options: { input?: string | Buffer; maxBytes?: number; okCodes?: readonly number[] } = {},
  ): Promise<string> {
    return this.deps.runner.text(args, { cwd: this.path, environment: this.environment, ...options });
  }
}
