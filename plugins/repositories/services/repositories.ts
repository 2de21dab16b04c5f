import {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  type Actor,
  type Database,
  type Events,
  type MemoryCache,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { isRefName, type GitStore } from '@mortise/git/api';
import {
  repositoryCreated,
  repositoryDeleted,
  repositoryDeleting,
  repositoryEdited,
  repositoryRenamed,
  type ApiRepository,
  type NewRepository,
  type Repositories,
  type Repository,
  type Unit,
  type UnitKey,
} from '../api.js';
import { RedirectRow, RepositoryTopicRow, StarRow, TopicRow, WatchRow } from '../models/others.js';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { RepositoryFinder } from './find.js';
import type { FirstCommit } from './first-commit.js';
import { checkRepositoryName } from './names.js';
import type { RepositoryPresenter } from './present.js';
import { atLeastOne, checkUpdateStyles, initialUnits, unitDefaults, unitKeys } from './units.js';

/** A half-made repository that is older than this was left by a process that died. */
const abandonedAfter = 10 * 60_000;

export interface RepositoryChanges {
  readonly name?: string;
  readonly description?: string;
  readonly website?: string;
  readonly isPrivate?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  readonly defaultBranch?: string;
  readonly units?: Readonly<Partial<Record<UnitKey, boolean>>>;
  /** Options by unit, merged into the stored ones. */
  readonly unitConfig?: Readonly<Partial<Record<UnitKey, Readonly<Record<string, unknown>>>>>;
  readonly avatar?: string;
}

export interface RepositoryParts {
  readonly database: Database;
  readonly events: Events;
  readonly accounts: Accounts;
  readonly git: GitStore;
  readonly rows: MemoryCache<Repository | undefined>;
  readonly firstCommit: FirstCommit;
  readonly presenter: () => RepositoryPresenter;
  readonly settings: {
    readonly defaultBranch: string;
    readonly defaultUnits: ReadonlySet<string>;
    readonly maxCreationLimit: number;
    readonly forcePrivate: boolean;
  };
}

const counters = {
  releaseCount: 'release_count',
  openIssueCount: 'open_issue_count',
  openPullCount: 'open_pull_count',
} as const;

/** Makes, changes and removes repositories. Rows and folders are kept in step over a kill (design, section 4). */
export class RepositoryService extends RepositoryFinder implements Repositories {
  constructor(private readonly parts: RepositoryParts) {
    super(parts.database, parts.rows);
  }

  checkName = checkRepositoryName;
  htmlUrl = (repository: Repository) => this.parts.presenter().htmlUrl(repository);
  apiUrl = (repository: Repository) => this.parts.presenter().apiUrl(repository);
  cloneUrl = (repository: Repository) => this.parts.presenter().cloneUrl(repository);
  toApi = (list: readonly Repository[], actor: Actor): Promise<ApiRepository[]> =>
    this.parts.presenter().toApi(list, actor);

  async create(owner: Account, options: NewRepository, actor: Actor): Promise<Repository> {
    checkRepositoryName(options.name);
    const settings = this.parts.settings;
    const branch = options.defaultBranch || settings.defaultBranch;
    if (!isRefName(branch)) throw Invalid(`${branch} is no name for a branch`);
    const files = options.autoInit ? this.parts.firstCommit.files(options) : undefined;
    return this.establish(
      owner,
      {
        ...options,
        defaultBranch: branch,
        isPrivate: settings.forcePrivate || (options.isPrivate ?? false),
        units: initialUnits(settings.defaultUnits, options.units),
      },
      actor,
      async (repository) => {
        await this.parts.git.create(repository.id, { defaultBranch: branch, objectFormat: options.objectFormat });
        if (files) await this.parts.firstCommit.write(repository, owner, actor, files, options);
      },
    );
  }

  /** Row (invisible) → folder → visible row with its event; what a kill leaves is swept. */
  async establish(
    owner: Account,
    row: Omit<NewRepository, 'units'> & {
      defaultBranch: string;
      units: readonly Unit[];
      forkOfId?: number;
      isEmpty?: boolean;
      topics?: readonly string[];
    },
    actor: Actor,
    fill: (repository: Repository) => Promise<void>,
  ): Promise<Repository> {
    await this.#withinLimit(owner, actor);
    const { database } = this.parts;
    const now = Date.now();
    const lowerName = row.name.toLowerCase();
    const prepared = await database.write(async () => {
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
        topics: [...(row.topics ?? [])],
        units: [...row.units],
        created_at: now,
        updated_at: now,
      });
    });
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
      });
      return toRepository(await database.query(RepositoryRow).findById(prepared.id).throwIfNotFound());
    });
  }

  async edit(repository: Repository, changes: RepositoryChanges, actor: Actor): Promise<Repository> {
    const { database, git } = this.parts;
    if (changes.name !== undefined) checkRepositoryName(changes.name);
    const units = changes.units || changes.unitConfig ? this.#changedUnits(repository, changes) : undefined;
    if (changes.defaultBranch !== undefined && !isRefName(changes.defaultBranch))
      throw Invalid('default_branch is no name for a branch');
    const now = Date.now();
    const changed = await database.write(async () => {
      if (changes.name !== undefined && changes.name !== repository.name) await this.#move(repository, changes.name);
      await database
        .query(RepositoryRow)
        .findById(repository.id)
        .patch({
          ...(changes.description !== undefined && { description: changes.description }),
          ...(changes.website !== undefined && { website: changes.website }),
          ...(changes.isPrivate !== undefined && { is_private: await this.#visibility(repository, changes.isPrivate) }),
          ...(changes.isTemplate !== undefined && { is_template: changes.isTemplate }),
          ...(changes.isArchived !== undefined &&
            changes.isArchived !== repository.isArchived && {
              is_archived: changes.isArchived,
              archived_at: changes.isArchived ? now : 0,
            }),
          ...(changes.defaultBranch !== undefined && { default_branch: changes.defaultBranch }),
          ...(changes.avatar !== undefined && { avatar: changes.avatar }),
          ...(units && { units }),
          updated_at: now,
        });
      await this.parts.events.emit(repositoryEdited, { repositoryId: repository.id, actorId: actor.id });
      return toRepository(await database.query(RepositoryRow).findById(repository.id).throwIfNotFound());
    });
    if (changes.defaultBranch !== undefined && changes.defaultBranch !== repository.defaultBranch) {
      await git.setHead(repository.id, changes.defaultBranch);
    }
    return changed;
  }

  /** A fork is as visible as its original, and goes along when that changes; inside the caller's transaction. */
  async #visibility(repository: Repository, asked: boolean): Promise<boolean> {
    if (repository.forkOfId) return repository.isPrivate;
    const { database } = this.parts;
    const seen = new Set([repository.id]);
    for (let level = [repository.id]; asked !== repository.isPrivate && level.length;) {
      const forks = await database.query(RepositoryRow).select('id').whereIn('fork_of_id', level);
      level = forks.map((row) => row.id).filter((id) => !seen.has(id));
      for (const id of level) seen.add(id);
      if (level.length) await database.query(RepositoryRow).whereIn('id', level).patch({ is_private: asked });
    }
    return asked;
  }

  async rename(repository: Repository, name: string): Promise<Repository> {
    checkRepositoryName(name);
    return this.parts.database.write(async () => {
      await this.#move(repository, name);
      return toRepository(await this.parts.database.query(RepositoryRow).findById(repository.id).throwIfNotFound());
    });
  }

  async #move(repository: Repository, name: string): Promise<void> {
    const { database } = this.parts;
    const lowerName = name.toLowerCase();
    const there = await database.query(RepositoryRow).findOne({ owner_id: repository.ownerId, lower_name: lowerName });
    if (there && there.id !== repository.id) throw Invalid('a repository with this name exists already');
    await database.query(RepositoryRow).findById(repository.id).patch({ name, lower_name: lowerName });
    await database.query(RedirectRow).delete().where({ owner_id: repository.ownerId, lower_name: lowerName });
    if (lowerName !== repository.lowerName) {
      await database
        .query(RedirectRow)
        .delete()
        .where({ owner_id: repository.ownerId, lower_name: repository.lowerName });
      await database
        .query(RedirectRow)
        .insert({ owner_id: repository.ownerId, lower_name: repository.lowerName, repository_id: repository.id });
    }
    await this.parts.events.emit(repositoryRenamed, {
      repositoryId: repository.id,
      from: `${repository.ownerName}/${repository.name}`,
      to: `${repository.ownerName}/${name}`,
    });
  }

  async delete(repository: Repository, actorId = 0, record: Record<string, unknown> = {}): Promise<void> {
    const { database } = this.parts;
    await database.write(() => this.deleteRows(repository, actorId, record));
    await this.parts.git.delete(repository.id);
    await this.parts.git.delete(repository.id, 'wiki');
  }

  /** The database's part of deleting, inside the caller's transaction. */
  async deleteRows(repository: Repository, actorId: number, record: Record<string, unknown>): Promise<void> {
    const { database, events } = this.parts;
    await events.emit(repositoryDeleting, { repositoryId: repository.id });
    for (const { user_id } of await database.query(StarRow).select('user_id').where('repository_id', repository.id)) {
      await this.parts.accounts.addStarred(user_id, -1);
    }
    const topicIds = database.query(RepositoryTopicRow).select('topic_id').where('repository_id', repository.id);
    await database.query(TopicRow).whereIn('id', topicIds).decrement('repository_count', 1);
    if (repository.forkOfId)
      await database
        .query(RepositoryRow)
        .findById(repository.forkOfId)
        .where('fork_count', '>', 0)
        .decrement('fork_count', 1);
    await database.query(RepositoryRow).where('fork_of_id', repository.id).patch({ fork_of_id: 0 });
    const gone = await database.query(RepositoryRow).deleteById(repository.id);
    if (!gone) throw NotFound('repository');
    await events.emit(repositoryDeleted, { repositoryId: repository.id, ownerId: repository.ownerId, actorId, record });
  }

  async setDerived(id: number, derived: Parameters<Repositories['setDerived']>[1]): Promise<void> {
    const patch = {
      ...(derived.isEmpty !== undefined && { is_empty: derived.isEmpty }),
      ...(derived.language !== undefined && { language: derived.language }),
      ...(derived.sizeBytes !== undefined && { size_bytes: derived.sizeBytes }),
      ...(derived.branchCount !== undefined && { branch_count: derived.branchCount }),
      ...(derived.defaultBranch !== undefined && { default_branch: derived.defaultBranch }),
      ...(derived.pushedAt !== undefined && { updated_at: derived.pushedAt }),
    };
    if (Object.keys(patch).length === 0) return;
    await this.parts.database.write(
      async () => void (await this.parts.database.query(RepositoryRow).findById(id).patch(patch)),
    );
  }

  async count(id: number, counter: keyof typeof counters, by: number): Promise<void> {
    await this.parts.database.query(RepositoryRow).findById(id).increment(counters[counter], by);
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

  async #withinLimit(owner: Account, actor: Actor): Promise<void> {
    if (actor.isAdmin) return;
    const limit = owner.maxRepoCreation >= 0 ? owner.maxRepoCreation : this.parts.settings.maxCreationLimit;
    if (limit < 0) return;
    const owned = await this.parts.database.query(RepositoryRow).where('owner_id', owner.id).resultSize();
    if (owned >= limit) throw Forbidden(`${owner.name} has reached the limit of ${limit} repositories`);
  }

  #changedUnits(repository: Repository, { units = {}, unitConfig = {} }: RepositoryChanges): Unit[] {
    const stored = new Map(repository.units.map((unit) => [unit.key, unit]));
    const known = unitKeys.map((key) => ({
      key,
      enabled: units[key] ?? stored.get(key)?.enabled ?? false,
      // Switched on again, a unit starts with its defaults.
      config: {
        ...(units[key] && !stored.get(key)?.enabled ? unitDefaults(key) : stored.get(key)?.config),
        ...unitConfig[key],
      },
    }));
    checkUpdateStyles(known.find((unit) => unit.key === 'pulls'));
    const foreign = repository.units.filter((unit) => !unitKeys.includes(unit.key as UnitKey));
    return atLeastOne([...known, ...foreign]);
  }
}
