import { posix } from 'node:path';
import { BadRequest, Forbidden, NotFound, type Actor, type Database } from '@mortise/plugin-sdk';
import type { LfsLock, LfsLocks } from '../contract/lfs.js';
import { LockRow, pathKeyOf } from '../models/lock.js';
import { batches } from './object-service.js';
import { t } from '../texts/index.js';

interface LockSearch {
  readonly id?: number;
  readonly path?: string;
  /** Locks after this one. */
  readonly after?: number;
  readonly limit: number;
}

const toLock = (row: LockRow): LfsLock => ({
  id: row.id,
  repositoryId: row.repository_id,
  path: row.path,
  ownerId: row.owner_id,
  lockedAt: Number(row.created_at),
});

/** A path inside the repository, whatever was written: `./art/../a.psd` is `a.psd`. */
export function lockPath(given: unknown): string {
  if (typeof given !== 'string' || given.length === 0)
    throw BadRequest('a path is needed', { text: t.later('error.pathRequired') });
  if (Buffer.byteLength(given) > 4096 || /[\u0000-\u001f\u007f]/.test(given))
    throw BadRequest('that is no path of a file', { text: t.later('error.path') });
  const path = posix.normalize(`/${given}`).replace(/^\/+|\/+$/g, '');
  if (!path) throw BadRequest('that is no path of a file', { text: t.later('error.path') });
  return path;
}

/** Locks on files. They hold for the whole repository; who may write may lock, and free what others have locked. */
export class LockService implements LfsLocks {
  constructor(private readonly database: Database) {}

  /** `created` is false when somebody (also the same person) has it already. */
  async create(repositoryId: number, path: string, actor: Actor): Promise<{ lock: LfsLock; created: boolean }> {
    const { database } = this;
    const key = { repository_id: repositoryId, path_key: pathKeyOf(path) };
    const there = () => database.query(LockRow).findOne(key);
    const before = await there();
    if (before) return { lock: toLock(before), created: false };
    const row = { ...key, owner_id: actor.id, path, created_at: Date.now() };
    try {
      return { lock: toLock(await database.write(() => database.query(LockRow).insertAndFetch(row))), created: true };
    } catch (error) {
      // Somebody else was faster.
      const faster = await there();
      if (!faster) throw error;
      return { lock: toLock(faster), created: false };
    }
  }

  async list(
    repositoryId: number,
    { id, path, after = 0, limit }: LockSearch,
  ): Promise<{ locks: LfsLock[]; next?: number }> {
    const query = this.database.query(LockRow).where('repository_id', repositoryId).where('id', '>', after);
    if (id !== undefined) void query.where('id', id);
    if (path !== undefined) void query.where('path_key', pathKeyOf(path));
    const rows = await query.orderBy('id').limit(limit + 1);
    const locks = rows.slice(0, limit).map(toLock);
    return rows.length > limit ? { locks, next: locks.at(-1)!.id } : { locks };
  }

  async remove(repositoryId: number, id: number, actor: Actor, force: boolean): Promise<LfsLock> {
    const { database } = this;
    return database.write(async () => {
      const row = await database.query(LockRow).findOne({ id, repository_id: repositoryId });
      if (!row) throw NotFound('lock');
      if (row.owner_id !== actor.id && !force)
        throw Forbidden('The lock belongs to someone else. Use --force to remove it.');
      await database.query(LockRow).deleteById(id);
      return toLock(row);
    });
  }

  /** Has anybody but the actor locked anything? */
  async anyForeign(repositoryId: number, actor: Actor): Promise<boolean> {
    const query = this.database.query(LockRow).where('repository_id', repositoryId).whereNot('owner_id', actor.id);
    return (await query.first().select('id')) !== undefined;
  }

  async foreign(repositoryId: number, paths: readonly string[], actor: Actor): Promise<readonly LfsLock[]> {
    const locks: LfsLock[] = [];
    for (const some of batches(paths)) {
      const rows = await this.database
        .query(LockRow)
        .where('repository_id', repositoryId)
        .whereIn('path_key', some.map(pathKeyOf))
        .whereNot('owner_id', actor.id);
      locks.push(...rows.map(toLock));
    }
    return locks;
  }
}
