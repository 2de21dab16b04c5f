import {
  actAudited,
  Conflict,
  Forbidden,
  NotFound,
  Problem,
  type Actor,
  type Database,
  type Events,
  type Locks,
  retryDuplicate,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, OwnerQuota } from '@mortise/accounts/api';
import type { GitStore } from '@mortise/git/api';
import { repositoryCreated, type Repository, type RepositoryCreator } from '../api.js';
import { CollaboratorRow } from '../models/collaborator.js';
import { RedirectRow } from '../models/redirect.js';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { atLeast, type Grants } from './grants.js';
import { t } from '../texts/index.js';

/** A half-made repository that is older than this was left by a process that died. */
const abandonedAfter = 10 * 60_000;

type Initialization = Parameters<RepositoryCreator['establish']>;

/** Brings repositories into being: rows and folders are kept in step over a kill (design, section 4). */
export class RepositoryInitializer {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly locks: Locks;
      readonly accounts: Pick<Accounts, 'byId'>;
      readonly grants: Grants;
      readonly git: GitStore;
      readonly ownerQuota: OwnerQuota;
      readonly settings: { readonly creationLimit: (owner: Account) => number };
    },
  ) {}

  /** One at a time for each name; a row that is not ready while nobody makes it was left by a kill. */
  async establish(...[owner, row, actor, ...rest]: Initialization): Promise<Repository> {
    const lacking = await this.deps.grants.lacking(actor);
    if (lacking) throw Forbidden(lacking.hint);
    if (actor.publicOnly && row.isPrivate) throw Forbidden(t.later('error.publicRepositories'));
    await this.deps.ownerQuota.check(owner.id, `size:repos:${row.isPrivate ? 'private' : 'public'}`, 0);
    const busy = Conflict(t.later('error.beingMade'), { inputs: { name: t.later('error.beingMade') } });
    return this.#establishAlone(owner.id, row.name.toLowerCase(), busy, () =>
      this.#initialize(owner, row, actor, ...rest),
    );
  }

  /** Throws `busy` at once while another makes a repository of that name. */
  async #establishAlone<T>(ownerId: number, lowerName: string, busy: Problem, work: () => Promise<T>): Promise<T> {
    let began = false;
    const begin = () => {
      began = true;
      return work();
    };
    try {
      return await this.deps.locks.hold(`repositories.making.${ownerId}.${lowerName}`, begin, { waitMs: 0 });
    } catch (error) {
      throw !began && Problem.is(error) && error.code === 'unavailable' ? busy : error;
    }
  }

  /** Takes away what was not finished, and never anything else. */
  async #drop(id: number): Promise<void> {
    const { database, git } = this.deps;
    await database.write(
      async () => void (await database.query(RepositoryRow).deleteById(id).where('is_ready', false)),
    );
    if (!(await database.query(RepositoryRow).findById(id).select('id'))) await git.delete(id);
  }

  /** Row (invisible) → folder → visible row with its event; what a kill leaves is swept. */
  async #initialize(...[owner, row, actor, fill, within]: Initialization): Promise<Repository> {
    const { database, locks } = this.deps;
    const now = Date.now();
    const lowerName = row.name.toLowerCase();
    let left: number | undefined;
    const prepare = async () => {
      // Renamed, hidden or gone by now?
      const present = await this.deps.accounts.byId(owner.id);
      if (!present) throw NotFound('user');
      const there = await database.query(RepositoryRow).findOne({ owner_id: owner.id, lower_name: lowerName });
      if (there?.is_ready) throw Conflict(t.later('error.nameTaken'), { inputs: { name: t.later('error.nameTaken') } });
      left = there?.id;
      if (there) await database.query(RepositoryRow).deleteById(there.id);
      await database.query(RedirectRow).delete().where({ owner_id: owner.id, lower_name: lowerName });
      const original = row.forkOfId ? await database.query(RepositoryRow).findById(row.forkOfId) : undefined;
      if (row.forkOfId && !original) throw NotFound('repository');
      return database.query(RepositoryRow).insertAndFetch({
        owner_id: owner.id,
        owner_name: present.name,
        lower_owner_name: present.lowerName,
        name: row.name,
        lower_name: lowerName,
        description: row.description ?? '',
        default_branch: row.defaultBranch,
        is_private: (row.isPrivate ?? false) || (original?.is_private ?? false),
        owner_visibility: present.visibility,
        is_template: row.isTemplate ?? false,
        is_empty: true,
        is_ready: false,
        original_url: row.originalUrl ?? '',
        status: row.status ?? 'ready',
        fork_of_id: row.forkOfId ?? 0,
        object_format: row.objectFormat ?? 'sha1',
        trust_model: row.trustModel ?? 'default',
        avatar: row.avatar ?? '',
        is_mirror: row.mirror !== undefined,
        mirror_interval: row.mirror?.intervalMs ?? 0,
        mirror_synced_at: row.mirror ? now : 0,
        topics: [],
        units: [...row.units],
        created_at: now,
        updated_at: now,
      });
    };
    const store = () => retryDuplicate(() => database.write(prepare));
    const isLimited = !row.overLimit && !actor.isAdmin && this.#limitOf(owner) >= 0;
    // Two at once must not both be the last that is allowed.
    const prepared = isLimited
      ? await locks.hold(`repositories.owner.${owner.id}`, async () => {
          await this.checkLimit(owner);
          return store();
        })
      : await store();
    if (left !== undefined) await this.deps.git.delete(left);
    const show = async () => {
      const shown = await database.query(RepositoryRow).findById(prepared.id).patch({ is_ready: true });
      // It went with its owner.
      if (!shown) throw NotFound('user');
      // 0 by now when the original is gone.
      const { fork_of_id: forkOfId } = await database.query(RepositoryRow).findById(prepared.id).throwIfNotFound();
      if (forkOfId) await database.query(RepositoryRow).findById(forkOfId).increment('fork_count', 1);
      await this.#grantAdministration(actor, owner, toRepository(prepared));
      await this.deps.events.emit(repositoryCreated, {
        repositoryId: prepared.id,
        actorId: actor.id,
        actorKind: actor.kind,
        forkOfId,
        ...(row.issueLabels && { issueLabels: row.issueLabels }),
      });
      await this.deps.events.emit(actAudited, {
        action: 'repository.create',
        target: { kind: 'repository', id: prepared.id, name: `${prepared.owner_name}/${prepared.name}` },
        repositoryId: prepared.id,
        details: { isPrivate: prepared.is_private, isFork: forkOfId !== 0 },
      });
      await within?.(toRepository(await database.query(RepositoryRow).findById(prepared.id).throwIfNotFound()));
      return toRepository(await database.query(RepositoryRow).findById(prepared.id).throwIfNotFound());
    };
    try {
      await fill(toRepository(prepared));
      return await database.write(show);
    } catch (error) {
      await this.#drop(prepared.id);
      throw error;
    }
  }

  /** Whoever makes a repository for another account, and has no right to administer it, gets it. */
  async #grantAdministration(actor: Actor, owner: Account, repository: Repository): Promise<void> {
    if (actor.kind !== 'user' || actor.isAdmin || actor.id === repository.ownerId) return;
    const { database, grants } = this.deps;
    const { mode } = (await grants.of(actor, [{ repository, owner }]))(repository.id);
    if (atLeast(mode, 'admin')) return;
    await database.query(CollaboratorRow).insert({ repository_id: repository.id, user_id: actor.id, mode: 'admin' });
  }

  /** Removes what died while it was made; gives how many. */
  async sweep(olderThan = abandonedAfter): Promise<number> {
    const { database } = this.deps;
    const rows = await database
      .query(RepositoryRow)
      .where('is_ready', false)
      .where('created_at', '<', Date.now() - olderThan);
    const busy = Conflict(t.later('error.beingMade'));
    let swept = 0;
    for (const row of rows) {
      const drop = () => this.#drop(row.id);
      // Large ones may take their time.
      const isDone = await this.#establishAlone(row.owner_id, row.lower_name, busy, drop).then(
        () => true,
        (error: unknown) => {
          if (error !== busy) throw error;
          return false;
        },
      );
      if (isDone) swept++;
    }
    return swept;
  }

  /** Throws Forbidden when the account may own no further repository. */
  async checkLimit(owner: Account): Promise<void> {
    const limit = this.#limitOf(owner);
    if (limit < 0) return;
    const owned = await this.deps.database.query(RepositoryRow).where('owner_id', owner.id).resultSize();
    if (owned >= limit) throw Forbidden(t.later('error.limit', { name: owner.name, limit }));
  }

  /** Negative: none. */
  #limitOf(owner: Account): number {
    return owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : this.deps.settings.creationLimit(owner);
  }
}
