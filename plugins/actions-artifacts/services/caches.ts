import {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  Problem,
  TooLarge,
  type BackupRows,
  type Database,
  type NamedBlob,
} from '@mortise/plugin-sdk';
import type { RuntimeTask } from '@mortise/actions/api';
import type { Repositories } from '@mortise/repositories/api';
import { CacheRow } from '../models/cache.js';
import { UploadRow } from '../models/upload.js';
import type { OrphanBlobs } from './orphan-blobs.js';
import { locationHash } from './artifact-names.js';
import type { UploadLimits, Uploads } from './uploads.js';

export const cacheArea = 'actions-cache';

/** What a back-up must hold for the rows of its moment. */
export async function* namedCaches(rows: BackupRows): AsyncGenerator<NamedBlob> {
  for await (const [isComplete, key, size] of rows.rows('action_cache', ['is_complete', 'key', 'size']))
    if (Number(isComplete) && key) yield { area: cacheArea, key: String(key), size: Number(size) };
}
/** Characters of a key, and of a version. */
const maxKey = 512;
const maxKeys = 10;
/** Caches compared with one restore key per query. */
const batch = 200;
/** The stamp of the last use is written again after so long, in milliseconds. */
const touchIntervalMs = 60_000;
/** Milliseconds without progress after which an unfinished cache releases its key. */
const stalledMs = 3_600_000;

interface CacheDeps {
  readonly database: Database;
  readonly uploads: Uploads;
  readonly orphanBlobs: OrphanBlobs;
  readonly repositories: Repositories;
  /** Bytes. */
  readonly maxEntrySize: number;
  readonly maxSize: number;
  readonly maxEntries: number;
}

const scopeHash = (scope: string, version: string) => locationHash(scope, version);

function checkKeys(key: string, version: string): void {
  if (key === '' || key.length > maxKey || key.includes(',') || !key.isWellFormed())
    throw BadRequest(`A key has 1 to ${maxKey} characters and no comma.`);
  if (version.length > maxKey || !version.isWellFormed()) throw BadRequest('The version is too long.');
}

/** The branch that the pull request of a task is for. */
async function baseOf(task: RuntimeTask): Promise<string | undefined> {
  const { pull_request: pull } = (await task.payload()) as { pull_request?: { base?: { ref?: unknown } } };
  return typeof pull?.base?.ref === 'string' ? `refs/heads/${pull.base.ref}` : undefined;
}

/**
 * Caches of jobs: written under the branch of the job, read there, then on the base of its pull request, then on the
 * default branch. Jobs of `pull_request_target`, which have secrets, meet nothing that code of the pull request wrote: they
 * belong to the base, and only read when it comes from elsewhere. A cache does not change once it is complete.
 */
export class CacheService {
  constructor(private readonly deps: CacheDeps) {}

  /** What is being sent has room for all complete ones of a repository, and no more. */
  async limitsOf(row: CacheRow): Promise<UploadLimits> {
    const { maxEntrySize, maxSize } = this.deps;
    const tooMany = () => new Problem('too_many', 'The caches of this repository that are being sent are too large.');
    const left = maxSize - (await this.#unfinishedBytes(row));
    if (left <= 0) throw tooMany();
    return {
      repositoryId: row.repository_id,
      maxBytes: Math.min(maxEntrySize, left),
      checkReceived: async (received) => {
        await this.#lockRepository(row);
        if (received + (await this.#unfinishedBytes(row)) > maxSize) throw tooMany();
      },
    };
  }

  /** Bytes of the others of its repository that somebody is sending; those whose job has died leave their room. */
  async #unfinishedBytes(row: CacheRow): Promise<number> {
    const { database } = this.deps;
    const others = database
      .knex()(CacheRow.tableName)
      .where({ repository_id: row.repository_id, is_complete: false })
      .whereNot('id', row.id)
      .select('upload_id');
    const sent = (await database
      .knex()(UploadRow.tableName)
      .whereIn('id', others)
      .where('updated_at', '>', Date.now() - stalledMs)
      .sum({ bytes: 'received' })
      .first()) as { bytes?: number | string | null } | undefined;
    return Number(sent?.bytes ?? 0);
  }

  /** Inside a transaction: pieces of other caches of the repository are counted after its end. */
  async #lockRepository({ repository_id }: CacheRow): Promise<void> {
    const { database } = this.deps;
    if (database.engine !== 'mysql') return;
    await database.query(CacheRow).select('id').where({ repository_id, is_complete: false }).forUpdate();
  }

  /** Takes a key for the branch of the task. Throws `conflict` when it is taken. */
  async reserve(task: RuntimeTask, key: string, version: string, size?: number): Promise<CacheRow> {
    checkKeys(key, version);
    const { database, uploads, maxEntrySize } = this.deps;
    if (size !== undefined && size > maxEntrySize) throw TooLarge(`A cache has at most ${maxEntrySize} bytes.`);
    const scope = await this.#writeScope(task);
    if (scope === undefined) throw Forbidden('Jobs for pull requests from elsewhere do not write caches of the base.');
    const now = Date.now();
    const place_hash = locationHash(scope, version, key);
    return database.write(async () => {
      const query = database.query(CacheRow).findOne({ repository_id: task.repositoryId, place_hash });
      const before = await (database.engine === 'mysql' ? query.forUpdate() : query);
      if (before && (before.is_complete || Number(before.used_at) > now - stalledMs))
        throw Conflict('There is a cache with this key already.');
      if (before) await this.#remove([before]);
      const unfinished = database.query(CacheRow).where({ repository_id: task.repositoryId, is_complete: false });
      if ((await unfinished.resultSize()) >= this.deps.maxEntries)
        throw new Problem('too_many', 'Too many caches of this repository are being sent.');
      return database.query(CacheRow).insertAndFetch({
        repository_id: task.repositoryId,
        scope,
        cache_key: key,
        version,
        place_hash,
        shelf_hash: scopeHash(scope, version),
        upload_id: await uploads.begin(cacheArea),
        created_at: now,
        used_at: now,
      });
    });
  }

  /** One that is still being sent, of the task's own branch. */
  async pending(task: RuntimeTask, id: number): Promise<CacheRow> {
    const scope = await this.#writeScope(task);
    const row =
      scope === undefined
        ? undefined
        : await this.deps.database.query(CacheRow).findOne({ id, repository_id: task.repositoryId, scope });
    if (!row) throw NotFound('cache');
    if (row.is_complete) throw BadRequest('The cache is complete.');
    return row;
  }

  /** By key and version, on the task's own branch. */
  async byKey(task: RuntimeTask, key: string, version: string): Promise<CacheRow | undefined> {
    const scope = await this.#writeScope(task);
    if (scope === undefined) return undefined;
    return this.deps.database
      .query(CacheRow)
      .findOne({ repository_id: task.repositoryId, place_hash: locationHash(scope, version, key) });
  }

  byId(id: number): Promise<CacheRow | undefined> {
    return this.deps.database.query(CacheRow).findById(id).execute();
  }

  /** Complete from now on; those unused longest make room for it. */
  async finish(row: CacheRow, size?: number): Promise<CacheRow> {
    const { database, uploads } = this.deps;
    const done = await uploads.finish(row.upload_id, async (whole) => {
      if (size !== undefined && size !== whole.size)
        throw BadRequest(`The cache has ${whole.size} bytes instead of ${size}.`);
      const next = { is_complete: true, size: whole.size, key: whole.key, upload_id: 0, used_at: Date.now() };
      if ((await database.query(CacheRow).patch(next).where('id', row.id)) === 0) throw NotFound('cache');
      return Object.assign(row, next);
    });
    await this.#evict(row.repository_id, row.id);
    return done;
  }

  /** The first of the keys that is found: exactly, then as the beginning of keys, the newest first; branch by branch. */
  async find(task: RuntimeTask, keys: readonly string[], version: string): Promise<CacheRow | undefined> {
    if (keys.length === 0 || keys.length > maxKeys) throw BadRequest(`1 to ${maxKeys} keys can be looked for.`);
    for (const key of keys) checkKeys(key, version);
    for (const scope of await this.#scopes(task)) {
      for (const key of keys) {
        const entry = (await this.#exact(task, scope, key, version)) ?? (await this.#newest(task, scope, key, version));
        if (entry) return entry;
      }
    }
    return undefined;
  }

  async #exact(task: RuntimeTask, scope: string, key: string, version: string): Promise<CacheRow | undefined> {
    return this.deps.database
      .query(CacheRow)
      .findOne({ repository_id: task.repositoryId, place_hash: locationHash(scope, version, key), is_complete: true });
  }

  async #newest(task: RuntimeTask, scope: string, key: string, version: string): Promise<CacheRow | undefined> {
    const shelf = this.deps.database
      .query(CacheRow)
      .where({ repository_id: task.repositoryId, shelf_hash: scopeHash(scope, version), is_complete: true })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ]);
    for (let offset = 0; ; offset += batch) {
      const rows = await shelf.clone().limit(batch).offset(offset);
      const row = rows.find(({ cache_key }) => cache_key.startsWith(key));
      if (row || rows.length < batch) return row;
    }
  }

  /** Where the caches of the task lie; undefined: it writes none. */
  async #writeScope(task: RuntimeTask): Promise<string | undefined> {
    if (task.event !== 'pull_request_target') return task.ref;
    return task.isFork ? undefined : baseOf(task);
  }

  /** Branches whose caches the task may read, its own first. */
  async #scopes(task: RuntimeTask): Promise<string[]> {
    const isTarget = task.event === 'pull_request_target';
    const scopes = isTarget ? [] : [task.ref];
    const base = isTarget || task.ref.startsWith('refs/pull/') ? await baseOf(task) : undefined;
    if (base !== undefined) scopes.push(base);
    const repository = await this.deps.repositories.byId(task.repositoryId);
    if (repository) scopes.push(`refs/heads/${repository.defaultBranch}`);
    return [...new Set(scopes)];
  }

  /** May the task read it? */
  async mayRead(task: RuntimeTask, row: CacheRow): Promise<boolean> {
    return row.repository_id === task.repositoryId && (await this.#scopes(task)).includes(row.scope);
  }

  async touch(row: CacheRow): Promise<void> {
    const now = Date.now();
    if (now - Number(row.used_at) < touchIntervalMs) return;
    await this.deps.database.write(() =>
      this.deps.database.query(CacheRow).patch({ used_at: now }).where('id', row.id),
    );
  }

  async #evict(repositoryId: number, newId: number): Promise<void> {
    const { database, maxSize, maxEntries } = this.deps;
    await database.write(async () => {
      const rows = await database
        .query(CacheRow)
        .select('id', 'size', 'key', 'upload_id')
        .where({ repository_id: repositoryId, is_complete: true })
        .orderBy([
          { column: 'used_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ]);
      let [size, count] = [0, 0];
      const ordered = [...rows.filter(({ id }) => id === newId), ...rows.filter(({ id }) => id !== newId)];
      const over = ordered.filter((row) => {
        size += Number(row.size);
        count++;
        return row.id !== newId && (size > maxSize || count > maxEntries);
      });
      if (over.length > 0) await this.#remove(over);
    });
  }

  async remove(rows: readonly CacheRow[]): Promise<void> {
    await this.deps.database.write(() => this.#remove(rows));
  }

  async #remove(rows: readonly CacheRow[]): Promise<void> {
    const { database, uploads, orphanBlobs } = this.deps;
    await orphanBlobs.add(
      cacheArea,
      rows.map(({ key }) => key),
    );
    await uploads.discard(rows.map(({ upload_id }) => upload_id));
    const ids = rows.map(({ id }) => id);
    for (let at = 0; at < ids.length; at += 500)
      await database
        .query(CacheRow)
        .delete()
        .whereIn('id', ids.slice(at, at + 500));
  }
}
