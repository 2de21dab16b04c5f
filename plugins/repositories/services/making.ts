import { Conflict, Forbidden, type Actor, type Database, type Events, type Locks } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { GitStore } from '@mortise/git/api';
import { repositoryCreated, type NewRepository, type Repository, type Unit } from '../api.js';
import { RedirectRow, WatchRow } from '../models/others.js';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { again } from './rows.js';

/** A half-made repository that is older than this was left by a process that died. */
const abandonedAfter = 10 * 60_000;

/** Brings repositories into being: rows and folders are kept in step over a kill (design, section 4). */
export class RepositoryMaker {
  constructor(
    private readonly parts: {
      readonly database: Database;
      readonly events: Events;
      readonly locks: Locks;
      readonly git: GitStore;
      readonly settings: { readonly creationLimit: (owner: Account) => number };
    },
  ) {}

  /** Row (invisible) → folder → visible row with its event; what a kill leaves is swept. */
  async establish(
    owner: Account,
    row: Omit<NewRepository, 'units'> & {
      defaultBranch: string;
      units: readonly Unit[];
      forkOfId?: number;
      avatar?: string;
      /** The owner's limit does not count. */
      overLimit?: boolean;
    },
    actor: Actor,
    fill: (repository: Repository) => Promise<void>,
    /** More writes in the transaction that makes it visible (only SQL). */
    within?: (repository: Repository) => Promise<void>,
  ): Promise<Repository> {
    const { database, locks } = this.parts;
    const now = Date.now();
    const lowerName = row.name.toLowerCase();
    const prepare = async () => {
      const there = await database.query(RepositoryRow).findOne({ owner_id: owner.id, lower_name: lowerName });
      if (there && (there.is_ready || Number(there.created_at) > now - abandonedAfter)) {
        throw Conflict('a repository with this name exists already');
      }
      if (there) await database.query(RepositoryRow).deleteById(there.id);
      await database.query(RedirectRow).delete().where({ owner_id: owner.id, lower_name: lowerName });
      return database.query(RepositoryRow).insertAndFetch({
        owner_id: owner.id,
        owner_name: owner.name,
        lower_owner_name: owner.lowerName,
        name: row.name,
        lower_name: lowerName,
        description: row.description ?? '',
        default_branch: row.defaultBranch,
        is_private: row.isPrivate ?? false,
        owner_visibility: owner.visibility,
        is_template: row.isTemplate ?? false,
        is_empty: true,
        is_ready: false,
        fork_of_id: row.forkOfId ?? 0,
        object_format: row.objectFormat ?? 'sha1',
        avatar: row.avatar ?? '',
        topics: [],
        units: [...row.units],
        created_at: now,
        updated_at: now,
      });
    };
    const store = () => again(() => database.write(prepare));
    const isLimited = !row.overLimit && !actor.isAdmin && this.#limitOf(owner) >= 0;
    // Two at once must not both be the last that is allowed.
    const prepared = isLimited
      ? await locks.hold(`repositories.owner.${owner.id}`, async () => {
          await this.checkLimit(owner);
          return store();
        })
      : await store();
    try {
      await fill(toRepository(prepared));
    } catch (error) {
      await database.write(async () => void (await database.query(RepositoryRow).deleteById(prepared.id)));
      await this.parts.git.delete(prepared.id);
      throw error;
    }
    return database.write(async () => {
      await database.query(RepositoryRow).findById(prepared.id).patch({ is_ready: true });
      if (actor.kind === 'user') {
        await database.query(WatchRow).insert({ repository_id: prepared.id, user_id: actor.id, created_at: now });
        await database.query(RepositoryRow).findById(prepared.id).patch({ watcher_count: 1 });
      }
      if (row.forkOfId) await database.query(RepositoryRow).findById(row.forkOfId).increment('fork_count', 1);
      await this.parts.events.emit(repositoryCreated, {
        repositoryId: prepared.id,
        actorId: actor.id,
        forkOfId: row.forkOfId ?? 0,
        ...(row.issueLabels && { issueLabels: row.issueLabels }),
      });
      await within?.(toRepository(await database.query(RepositoryRow).findById(prepared.id).throwIfNotFound()));
      return toRepository(await database.query(RepositoryRow).findById(prepared.id).throwIfNotFound());
    });
  }

  /** Removes what died while it was made; gives how many. */
  async sweep(olderThan = abandonedAfter): Promise<number> {
    const { database } = this.parts;
    const rows = await database
      .query(RepositoryRow)
      .where('is_ready', false)
      .where('created_at', '<', Date.now() - olderThan);
    for (const row of rows) {
      await database.write(
        async () => void (await database.query(RepositoryRow).deleteById(row.id).where('is_ready', false)),
      );
      await this.parts.git.delete(row.id);
    }
    return rows.length;
  }

  /** Throws Forbidden when the account may own no further repository. */
  async checkLimit(owner: Account): Promise<void> {
    const limit = this.#limitOf(owner);
    if (limit < 0) return;
    const owned = await this.parts.database.query(RepositoryRow).where('owner_id', owner.id).resultSize();
    if (owned >= limit) throw Forbidden(`${owner.name} has reached the limit of ${limit} repositories`);
  }

  /** Negative: none. */
  #limitOf(owner: Account): number {
    return owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : this.parts.settings.creationLimit(owner);
  }
}
