import { Invalid, NotFound, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { accessRank, type AccessMode, type Repository, type RepositoryPeople } from '../api.js';
import { CollaboratorRow, StarRow, WatchRow } from '../models/others.js';
import { RepositoryRow } from '../models/repository.js';
import { refuseBlocked } from './blocks.js';
import { holdRow } from './rows.js';

type Mark = 'star' | 'watch';
const marks = {
  star: { row: StarRow, counter: 'star_count' },
  watch: { row: WatchRow, counter: 'watcher_count' },
} as const;
const levels = new Set(['read', 'write', 'admin']);

/** Collaborators, stars and watches of repositories. */
export class PeopleService implements RepositoryPeople {
  constructor(
    private readonly database: Database,
    private readonly accounts: Pick<Accounts, 'addStarred' | 'blocks' | 'byId'>,
  ) {}

  async collaborators(repositoryId: number): Promise<{ userId: number; mode: AccessMode }[]> {
    const rows = await this.database.query(CollaboratorRow).where('repository_id', repositoryId).orderBy('id');
    return rows.map((row) => ({ userId: row.user_id, mode: row.mode }));
  }

  /** Owner and collaborators that may write, by id: those whom work can be assigned to. */
  writers(repository: Repository): Promise<number[]> {
    return this.#withOwner(repository, 'write');
  }

  /** Owner and all collaborators: those who can be asked for a review. */
  readers(repository: Repository): Promise<number[]> {
    return this.#withOwner(repository, 'read');
  }

  async #withOwner(repository: Repository, mode: AccessMode): Promise<number[]> {
    const fit = (await this.collaborators(repository.id)).filter((one) => accessRank[one.mode] >= accessRank[mode]);
    return [...new Set([repository.ownerId, ...fit.map((one) => one.userId)])];
  }

  async collaboratorPage(repositoryId: number, limit: number, offset: number) {
    const query = this.database.query(CollaboratorRow).where('repository_id', repositoryId);
    const total = await query.clone().resultSize();
    const rows = await query.orderBy('id').limit(limit).offset(offset);
    return { items: rows.map((row) => ({ userId: row.user_id, mode: row.mode })), total };
  }

  async collaborator(repositoryId: number, userId: number): Promise<AccessMode | undefined> {
    return (await this.database.query(CollaboratorRow).findOne({ repository_id: repositoryId, user_id: userId }))?.mode;
  }

  /** `permission` of the request; anything that is no level reads as `write`. */
  async setCollaborator(repository: Repository, account: Account, permission = 'write'): Promise<void> {
    if (account.id === repository.ownerId) throw Invalid('the owner of a repository cannot be its collaborator');
    if (account.kind !== 'user') throw Invalid('an organization cannot be a collaborator');
    const mode = (levels.has(permission) ? permission : 'write') as AccessMode;
    // Whichever of the two will not hear of the other.
    await refuseBlocked(this.accounts, account, repository.ownerId);
    const owner = await this.accounts.byId(repository.ownerId);
    if (owner) await refuseBlocked(this.accounts, owner, account.id);
    await this.database.write(async () => {
      await holdRow(this.database, repository.id);
      const key = { repository_id: repository.id, user_id: account.id };
      const changed = await this.database.query(CollaboratorRow).where(key).patch({ mode });
      if (!changed) await this.database.query(CollaboratorRow).insert({ ...key, mode });
    });
  }

  async removeCollaborator(repository: Repository, account: Account): Promise<void> {
    await this.database.write(async () => {
      await this.database.query(CollaboratorRow).delete().where({ repository_id: repository.id, user_id: account.id });
      if (repository.isPrivate) await this.forget(repository.id, account.id);
    });
  }

  async marked(mark: Mark, repositoryId: number, userId: number): Promise<{ createdAt: number } | undefined> {
    const row = await this.database.query(marks[mark].row).findOne({ repository_id: repositoryId, user_id: userId });
    return row && { createdAt: Number(row.created_at) };
  }

  /** Idempotent; gives when the mark was first set. */
  async mark(mark: Mark, repository: Repository, actor: Actor): Promise<{ createdAt: number }> {
    await refuseBlocked(this.accounts, actor, repository.ownerId);
    return this.database.write(async () => {
      await holdRow(this.database, repository.id);
      const key = { repository_id: repository.id, user_id: actor.id };
      const there = await this.database.query(marks[mark].row).findOne(key);
      if (there) return { createdAt: Number(there.created_at) };
      const createdAt = Date.now();
      await this.database.query(marks[mark].row).insert({ ...key, created_at: createdAt });
      await this.database.query(RepositoryRow).findById(repository.id).increment(marks[mark].counter, 1);
      if (mark === 'star') await this.accounts.addStarred(actor.id, 1);
      return { createdAt };
    });
  }

  async unmark(mark: Mark, repository: Repository, actor: Actor): Promise<void> {
    await this.database.write(() => this.#unmark(mark, repository.id, actor.id));
  }

  /** Takes the marks of one who sees the repository no more; inside the caller's transaction. */
  async forget(repositoryId: number, userId: number): Promise<void> {
    for (const mark of ['star', 'watch'] as const) await this.#unmark(mark, repositoryId, userId);
  }

  async #unmark(mark: Mark, repositoryId: number, userId: number): Promise<void> {
    const gone = await this.database
      .query(marks[mark].row)
      .delete()
      .where({ repository_id: repositoryId, user_id: userId });
    if (!gone) return;
    await this.database.query(RepositoryRow).findById(repositoryId).decrement(marks[mark].counter, 1);
    if (mark === 'star') await this.accounts.addStarred(userId, -1);
  }

  async watchers(repositoryId: number): Promise<number[]> {
    const rows = await this.database.query(WatchRow).select('user_id').where('repository_id', repositoryId);
    return rows.map((row) => row.user_id);
  }

  async markers(
    mark: Mark,
    repositoryId: number,
    limit: number,
    offset: number,
  ): Promise<{ userIds: number[]; total: number }> {
    const query = this.database.query(marks[mark].row).where('repository_id', repositoryId);
    const total = await query.clone().resultSize();
    const rows = await query.orderBy('id').limit(limit).offset(offset);
    return { userIds: rows.map((row) => row.user_id), total };
  }
}

/** The word of the permission answer: `owner`, `admin`, `write`, `read` or `none`. */
export function permissionOf(repository: Repository, account: Account, mode: AccessMode | undefined): AccessMode {
  if (account.id === repository.ownerId) return 'owner';
  if (account.isAdmin) return 'owner';
  const open: AccessMode = repository.isPrivate ? 'none' : 'read';
  const given = mode ?? 'none';
  return accessRank[given] > accessRank[open] ? given : open;
}

export function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw NotFound(what);
  return value;
}
