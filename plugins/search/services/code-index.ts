import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Problem, type Database, type JobContext } from '@mortise/plugin-sdk';
import { isCorruptObject, isZeroOid, type GitReader, type GitRepository, type LanguageColors } from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';
import { CommitRow } from '../models/indexed-commit.js';
import { FileRow } from '../models/indexed-file.js';
import { TreeRow } from '../models/indexed-tree.js';
import type { IndexerSettings } from '../settings.js';
import { commitDocument, commitKind, fileDocument, fileKind, textOfBlob } from './code-sources.js';
import { definitionsOf } from './definitions.js';
import { rowOf, type DatabaseIndex } from './search-index.js';

/** Files, and commits, that are indexed in one transaction. */
const filesAtOnce = 20;
const commitsAtOnce = 100;
const listedAtOnce = 1000;
const maxNameLength = 255;
/** Pushes that come while it works are followed so often; later ones bring a job of their own. */
const maxRounds = 5;

interface Wanted {
  readonly path: string;
  readonly oid: string;
}
type Job = Pick<JobContext, 'signal' | 'progress'>;
type IndexedFile = Pick<FileRow, 'bytes' | 'name' | 'language' | 'is_hidden' | 'definitions'>;
/** Bytes that a repository may still have indexed; counted down by one pass. */
interface Room {
  bytes: number;
}

const keyOf = (path: string): string => createHash('sha1').update(path).digest('hex');
const isFile = (mode: string): boolean => mode === '100644' || mode === '100755';

/** Keeps the code of default branches and the messages of their commits in the index, in bounded pieces. */
export class CodeIndexer {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly gitReader: GitReader;
      readonly repositories: Pick<Repositories, 'byId'>;
      readonly index: DatabaseIndex;
      readonly languages: Pick<LanguageColors, 'ofFile'>;
      readonly settings: IndexerSettings;
    },
  ) {}

  /** Ids of the next repositories after this one. */
  async repositoriesAfter(afterId: number, limit: number): Promise<number[]> {
    const rows = (await this.deps.database
      .knex()('repository')
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(limit)
      .pluck('id')) as unknown as number[];
    return rows;
  }

  /** Up to what the default branch is now. What was done before an interruption is not done again. */
  async sync(repositoryId: number, job: Job): Promise<void> {
    for (let round = 0; round < maxRounds && !job.signal.aborted; round++)
      if (!(await this.#syncOnce(repositoryId, job))) return;
  }

  /** False: nothing was to be done. */
  async #syncOnce(repositoryId: number, job: Job): Promise<boolean> {
    const { database, gitReader, repositories, settings } = this.deps;
    const repository = await repositories.byId(repositoryId);
    if (!repository) return false;
    const state = await database.query(TreeRow).findById(repositoryId);
    const git = gitReader.open(repositoryId);
    const { branch, oid: tip } = await git.head();
    const oid = settings.REPO_INDEXER_ENABLED ? tip : undefined;
    if (state?.commit_id === oid) {
      if (!state || state.branch === branch) return false;
      await database.write(() => database.query(TreeRow).findById(repositoryId).patch({ branch }));
      return false;
    }
    const seen = (oid ?? '').slice(0, 12);
    // what is cut off has left things of a commit that the next one need not come from: then everything is looked at
    await database.write(() =>
      database
        .query(TreeRow)
        .insert({ repository_id: repositoryId, branch: state?.branch ?? '', commit_id: '' })
        .onConflict('repository_id')
        .merge(['commit_id']),
    );
    if (oid) {
      const isForward = await this.#isForward(git, state?.commit_id, oid);
      const room = { bytes: settings.MAX_TOTAL_SIZE - (await this.#indexedBytes(repositoryId)) };
      if (isForward) await this.#changed(repositoryId, git, state!.commit_id, oid, room, job);
      else await this.#whole(repositoryId, git, oid, room, job);
      await this.#commits(repositoryId, git, oid, isForward ? state!.commit_id : undefined, job);
      if (job.signal.aborted) return false;
      if (!isForward) await this.#forget(repositoryId, seen, job);
    } else await this.#forget(repositoryId, seen, job);
    if (job.signal.aborted) return false;
    await database.write(async () => {
      await database.query(TreeRow).deleteById(repositoryId);
      if (oid) await database.query(TreeRow).insert({ repository_id: repositoryId, branch, commit_id: oid });
    });
    return true;
  }

  async #isForward(git: GitRepository, from: string | undefined, to: string): Promise<boolean> {
    if (!from) return false;
    try {
      return await git.isAncestor(from, to);
    } catch (error) {
      if (Problem.is(error) || isCorruptObject(error)) return false;
      throw error;
    }
  }

  async #indexedBytes(repositoryId: number): Promise<number> {
    const rows = (await this.deps.database
      .knex()('search_file')
      .where('repository_id', repositoryId)
      .sum({ bytes: 'bytes' })) as unknown as { bytes: number | string | null }[];
    return Number(rows[0]?.bytes ?? 0);
  }

  /** What a push changed. */
  async #changed(
    repositoryId: number,
    git: GitRepository,
    from: string,
    to: string,
    room: Room,
    job: Job,
  ): Promise<void> {
    const changes = await git.changes(from, to, { renames: false, stats: false });
    const seen = to.slice(0, 12);
    for (let at = 0; at < changes.length && !job.signal.aborted; at += filesAtOnce) {
      const some = changes.slice(at, at + filesAtOnce);
      const gone = some.filter(({ oid, mode }) => isZeroOid(oid) || !isFile(mode));
      await this.#drop(
        repositoryId,
        gone.map(({ path }) => path),
        room,
      );
      await this.#put(
        repositoryId,
        git,
        some.filter((one) => !gone.includes(one)),
        seen,
        room,
      );
      await job.progress(at, changes.length);
    }
  }

  /** All files; those that are there as they are now are only marked. */
  async #whole(repositoryId: number, git: GitRepository, commit: string, room: Room, job: Job): Promise<void> {
    const { database, settings } = this.deps;
    const seen = commit.slice(0, 12);
    let left = settings.MAX_FILES;
    for (let offset = 0, total = 1; offset < total && left > 0 && !job.signal.aborted; offset += listedAtOnce) {
      const page = await git.treeRecursive(commit, { offset, limit: listedAtOnce });
      total = page.total;
      const files = page.entries.filter(({ type, mode }) => type === 'blob' && isFile(mode)).slice(0, left);
      left -= files.length;
      for (let at = 0; at < files.length && !job.signal.aborted; at += filesAtOnce * 5) {
        const some = files.slice(at, at + filesAtOnce * 5);
        const known = await this.#known(repositoryId, some);
        const same = some.filter(({ path, oid }) => {
          const row = known.get(keyOf(path));
          return row?.oid === oid && row.definitions !== null;
        });
        const ids = same.map(({ path }) => known.get(keyOf(path))!.id);
        if (ids.length) await database.write(() => database.query(FileRow).whereIn('id', ids).patch({ seen_in: seen }));
        const fresh = some.filter((one) => !same.includes(one));
        for (let from = 0; from < fresh.length; from += filesAtOnce)
          await this.#put(repositoryId, git, fresh.slice(from, from + filesAtOnce), seen, room);
        await job.progress(Math.min(offset + at, total), total);
      }
    }
  }

  async #known(repositoryId: number, files: readonly { readonly path: string }[]): Promise<Map<string, FileRow>> {
    const rows = await this.deps.database
      .query(FileRow)
      .where('repository_id', repositoryId)
      .whereIn(
        'path_key',
        files.map(({ path }) => keyOf(path)),
      );
    return new Map(rows.map((row) => [row.path_key, row]));
  }

  /** Reads and cuts up the texts first, so that others need not wait for that. */
  async #put(
    repositoryId: number,
    git: GitRepository,
    files: readonly Wanted[],
    seen: string,
    room: Room,
  ): Promise<void> {
    const { database, index, settings } = this.deps;
    if (files.length === 0) return;
    for (const { bytes } of (await this.#known(repositoryId, files)).values()) room.bytes += bytes ?? 0;
    const made = new Map<string, ReturnType<typeof rowOf>>();
    const properties = new Map<string, IndexedFile>();
    for (const { path, oid } of files) {
      const text = await textOfBlob(git, oid, Math.max(0, Math.min(settings.MAX_FILE_SIZE, room.bytes)));
      const size = Buffer.byteLength(text ?? '');
      room.bytes -= size;
      properties.set(path, { bytes: size, ...this.#propertiesOf(path, text ?? '') });
      made.set(keyOf(path), rowOf(fileDocument({ id: 0, repository_id: repositoryId, path }, text)));
      await turn();
    }
    const key = { repository_id: repositoryId };
    await database.write(async () => {
      const known = await this.#known(repositoryId, files);
      const isNew = files.some(({ path }) => !known.has(keyOf(path)));
      const count = isNew ? await database.query(FileRow).where(key).resultSize() : 0;
      let room = settings.MAX_FILES - count;
      const taken = files.filter(({ path }) => known.has(keyOf(path)) || room-- > 0);
      if (taken.length === 0) return;
      await database
        .knex()('search_file')
        .insert(
          taken.map(({ path, oid }) => ({
            ...key,
            path,
            path_key: keyOf(path),
            oid,
            ...properties.get(path)!,
            seen_in: seen,
          })),
        )
        .onConflict(['repository_id', 'path_key'])
        .merge(['oid', 'bytes', 'name', 'language', 'is_hidden', 'definitions', 'seen_in']);
      const rows = await this.#known(repositoryId, taken);
      await index.putRows([...rows].map(([path, { id }]) => ({ ...made.get(path)!, resource_id: id, subject_id: id })));
    });
  }

  /** What results are ordered and filtered by. */
  #propertiesOf(path: string, text: string): Omit<IndexedFile, 'bytes'> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const language = this.deps.languages.ofFile(name);
    return {
      name: [...name.toLowerCase()].slice(0, maxNameLength).join(''),
      language: language ?? null,
      is_hidden: /(^|\/)\./.test(path),
      definitions: definitionsOf(text, language),
    };
  }

  async #drop(repositoryId: number, paths: readonly string[], room: Room): Promise<void> {
    const { database, index } = this.deps;
    if (paths.length === 0) return;
    await database.write(async () => {
      const rows = await this.#known(
        repositoryId,
        paths.map((path) => ({ path })),
      );
      const ids = [...rows.values()].map(({ id }) => id);
      for (const { bytes } of rows.values()) room.bytes += bytes ?? 0;
      await index.remove(fileKind, ids);
      if (ids.length) await database.query(FileRow).delete().whereIn('id', ids);
    });
  }

  /** The newest first; `from`: only those after it. */
  async #commits(repositoryId: number, git: GitRepository, tip: string, from: string | undefined, job: Job) {
    const { database, index, settings } = this.deps;
    const seen = tip.slice(0, 12);
    for (let offset = 0; offset < settings.MAX_COMMITS && !job.signal.aborted; offset += commitsAtOnce) {
      const limit = Math.min(commitsAtOnce, settings.MAX_COMMITS - offset);
      const { commits } = await git.log({ from: [tip], ...(from && { not: [from] }), offset, limit, total: false });
      const key = { repository_id: repositoryId };
      const made = new Map(
        commits.map(({ oid, message }) => [oid, rowOf(commitDocument({ id: 0, ...key, oid }, message))]),
      );
      const oids = [...made.keys()];
      if (oids.length)
        await database.write(async () => {
          const there = await database.query(CommitRow).where(key).whereIn('oid', oids);
          const known = new Set(there.map(({ oid }) => oid));
          await database
            .knex()('search_commit')
            .insert(oids.map((oid) => ({ ...key, oid, seen_in: seen })))
            .onConflict(['repository_id', 'oid'])
            .merge(['seen_in']);
          const rows = await database.query(CommitRow).where(key).whereIn('oid', oids);
          // what a commit says never changes
          const fresh = rows.filter(({ oid }) => !known.has(oid));
          await index.putRows(fresh.map(({ id, oid }) => ({ ...made.get(oid)!, resource_id: id, subject_id: id })));
        });
      if (commits.length < limit) return;
      await job.progress(offset, settings.MAX_COMMITS);
    }
  }

  /** What the last pass has not seen. */
  async #forget(repositoryId: number, seen: string, job: Job): Promise<void> {
    for (const [table, kind] of [
      ['search_file', fileKind],
      ['search_commit', commitKind],
    ] as const)
      while (!job.signal.aborted && (await this.#forgetSome(table, kind, repositoryId, seen))) await job.progress(0, 1);
  }

  /** False: there was none. */
  #forgetSome(table: string, kind: string, repositoryId: number, seen: string): Promise<boolean> {
    const { database, index } = this.deps;
    return database.write(async () => {
      const rows = database.knex()(table).where('repository_id', repositoryId).whereNot('seen_in', seen);
      const ids = (await rows.limit(commitsAtOnce).pluck('id')) as unknown as number[];
      await index.remove(kind, ids);
      if (ids.length) await database.knex()(table).delete().whereIn('id', ids);
      return ids.length > 0;
    });
  }
}
