import {
  actAudited,
  Invalid,
  isWebLink,
  NotFound,
  retryDuplicate,
  type Actor,
  type Database,
  type Events,
  type Locks,
  type PointReader,
  type Reply,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, OwnerQuota } from '@mortise/accounts/api';
import type { GitStore } from '@mortise/git/api';
import {
  repositoryDeleted,
  repositoryDeleting,
  repositoryEdited,
  repositoryRenamed,
  repositoryVisibilityChanged,
  type ApiRepository,
  type NewRepository,
  type Repositories,
  type Repository,
  type RepositoryCreator,
  type RepositoryEdit,
  type TrustModel,
} from '../api.js';
import type { RepositoryCount, RepositorySearch, Unit } from '../contract/repositories.js';
import { RedirectRow } from '../models/redirect.js';
import { RepositoryTopicRow } from '../models/repository-topic.js';
import { TopicRow } from '../models/topic.js';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { auditedChanges, auditedRepositoryAct } from './audited-repository.js';
import type { RepositoryFinder } from './repository-finder.js';
import type { FirstCommit } from './first-commit.js';
import type { Grants } from './grants.js';
import { lockPresentRow, lockRepositoryRow } from './row-locks.js';
import { RepositoryInitializer } from './repository-initializer.js';
import { checkBranchName, checkRepositoryName } from './name-rules.js';
import type { RepositoryPresenter } from './repository-presenter.js';
import type { UnitChanges, Units } from './units.js';
import { t } from '../texts/index.js';

export interface RepositoryChanges extends UnitChanges {
  readonly name?: string;
  readonly description?: string;
  readonly website?: string;
  readonly isPrivate?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  readonly defaultBranch?: string;
  readonly trustModel?: TrustModel;
  readonly avatar?: string;
  /** Body of a PATCH, for fields of other plugins ({@link repositoryEdits}). */
  readonly body?: Readonly<Record<string, unknown>>;
}

interface RepositoryDeps {
  readonly database: Database;
  readonly events: Events;
  readonly locks: Locks;
  readonly accounts: Accounts;
  readonly grants: Grants;
  readonly git: GitStore;
  readonly ownerQuota: OwnerQuota;
  readonly finder: RepositoryFinder;
  readonly firstCommit: FirstCommit;
  readonly presenter: RepositoryPresenter;
  readonly units: Units;
  readonly edits: PointReader<RepositoryEdit>;
  readonly settings: {
    readonly defaultBranch: string;
    readonly defaultUnits: ReadonlySet<string>;
    /** Units that no repository gets, whatever was asked. */
    readonly disabledUnits: ReadonlySet<string>;
    /** Negative: none. */
    readonly creationLimit: (owner: Account) => number;
    readonly forcePrivate: boolean;
  };
}

const counters: Readonly<Record<RepositoryCount, string>> = {
  starCount: 'star_count',
  watcherCount: 'watcher_count',
  releaseCount: 'release_count',
  openIssueCount: 'open_issue_count',
  openPullCount: 'open_pull_count',
  sizeBytes: 'size_bytes',
};

/** Makes, changes and removes repositories. Rows and folders are kept in step over a kill (design, section 4). */
export class RepositoryService implements Repositories {
  readonly #maker: RepositoryInitializer;

  constructor(private readonly deps: RepositoryDeps) {
    this.#maker = new RepositoryInitializer(deps);
  }

  byId = (id: number) => this.deps.finder.byId(id);
  basicsById = (id: number) => this.deps.finder.basicsById(id);
  byIds = (ids: readonly number[]) => this.deps.finder.byIds(ids);
  byPath = (owner: string, name: string) => this.deps.finder.byPath(owner, name);
  search = (search: RepositorySearch, actor: Actor) => this.deps.finder.search(search, actor);
  languages = () => this.deps.finder.languages();
  checkName = checkRepositoryName;
  htmlUrl = (repository: Repository) => this.deps.presenter.htmlUrl(repository);
  apiUrl = (repository: Repository) => this.deps.presenter.apiUrl(repository);
  cloneUrl = (repository: Repository) => this.deps.presenter.cloneUrl(repository);
  toApi = (list: readonly Repository[], actor: Actor): Promise<ApiRepository[]> =>
    this.deps.presenter.toApi(list, actor);
  list = (search: RepositorySearch, actor: Actor): Promise<Reply> => this.deps.presenter.list(search, actor);

  async create(owner: Account, options: NewRepository, actor: Actor): Promise<Repository> {
    checkRepositoryName(options.name);
    const settings = this.deps.settings;
    const branch = options.defaultBranch || settings.defaultBranch;
    checkBranchName(branch);
    const files = options.autoInit ? this.deps.firstCommit.files(options) : undefined;
    return this.establish(
      owner,
      {
        ...options,
        defaultBranch: branch,
        isPrivate: settings.forcePrivate || (options.isPrivate ?? false),
        units: this.deps.units.initial(settings.defaultUnits, this.#possible(options.units)),
      },
      actor,
      async (repository) => {
        await this.deps.git.create(repository.id, { defaultBranch: branch, objectFormat: options.objectFormat });
        if (files) await this.deps.firstCommit.write(repository, owner, actor, files, options);
      },
    );
  }

  establish: RepositoryInitializer['establish'] = (...given) => this.#maker.establish(...given);
  checkLimit = (owner: Account) => this.#maker.checkLimit(owner);
  sweep = (olderThan?: number) => this.#maker.sweep(olderThan);

  checkWebsite(website: string): void {
    if (!isWebLink(website)) throw Invalid(t.later('error.website'), { inputs: { website: t.later('error.website') } });
  }

  /** REP-08: the first commit of a repository that is still empty. */
  async addReadme(repository: Repository, readme: string, actor: Actor): Promise<void> {
    const { firstCommit, accounts } = this.deps;
    const owner = await accounts.byId(repository.ownerId);
    if (!owner) throw NotFound('user');
    const options = { name: repository.name, description: repository.description, readme };
    await firstCommit.write(repository, owner, actor, firstCommit.files(options), options);
  }

  async edit(repository: Repository, changes: RepositoryChanges, actor: Actor): Promise<Repository> {
    const { database, git } = this.deps;
    if (changes.name !== undefined) checkRepositoryName(changes.name);
    if (changes.defaultBranch !== undefined) checkBranchName(changes.defaultBranch);
    if (changes.website !== undefined) this.checkWebsite(changes.website);
    if (changes.isArchived && repository.mirror) throw Invalid(t.later('error.archiveMirror'));
    const edits = this.#editsOf(changes.body, repository);
    const now = Date.now();
    const store = async () => {
      const present = await lockPresentRow(database, repository);
      const units = changes.units || changes.unitConfig ? this.#changedUnits(present, changes) : undefined;
      if (changes.name !== undefined && changes.name !== present.name)
        await this.#move(present, changes.name, actor.id);
      await database
        .query(RepositoryRow)
        .findById(repository.id)
        .patch({
          ...(changes.description !== undefined && { description: changes.description }),
          ...(changes.website !== undefined && { website: changes.website }),
          ...(changes.isPrivate !== undefined && { is_private: await this.#visibility(present, changes.isPrivate) }),
          ...(changes.isTemplate !== undefined && { is_template: changes.isTemplate }),
          ...(changes.isArchived !== undefined &&
            changes.isArchived !== present.isArchived && {
              is_archived: changes.isArchived,
              archived_at: changes.isArchived ? now : 0,
            }),
          ...(changes.defaultBranch !== undefined && { default_branch: changes.defaultBranch }),
          ...(changes.trustModel !== undefined && { trust_model: changes.trustModel }),
          ...(changes.avatar !== undefined && { avatar: changes.avatar }),
          ...(units && { units }),
          updated_at: now,
        });
      for (const edit of edits) await edit.apply(changes.body ?? {}, present, actor);
      await this.deps.events.emit(repositoryEdited, { repositoryId: repository.id, actorId: actor.id });
      const row = await database.query(RepositoryRow).findById(repository.id).throwIfNotFound();
      for (const act of auditedChanges(present, toRepository(row), changes))
        await this.deps.events.emit(actAudited, act);
      return toRepository(row);
    };
    const changed = await retryDuplicate(() => database.write(store));
    if (changes.defaultBranch !== undefined && changes.defaultBranch !== repository.defaultBranch) {
      await git.setHead(repository.id, changes.defaultBranch);
    }
    return changed;
  }

  #editsOf(body: RepositoryChanges['body'], repository: Repository): RepositoryEdit[] {
    if (!body) return [];
    const edits = this.deps.edits.list();
    for (const edit of edits) edit.check?.(body, repository);
    return edits.filter((edit) => Object.keys(edit.body).some((key) => body[key] !== undefined));
  }

  /** A fork is as visible as its original, and goes along when that changes; inside the caller's transaction. */
  async #visibility(repository: Repository, asked: boolean): Promise<boolean> {
    if (repository.forkOfId) return repository.isPrivate;
    const { database } = this.deps;
    const seen = new Set([repository.id]);
    for (let level = [repository.id]; asked !== repository.isPrivate && level.length;) {
      await database.query(RepositoryRow).whereIn('id', level).patch({ is_private: asked });
      const forks = await database.query(RepositoryRow).select('id').whereIn('fork_of_id', level);
      level = forks.map((row) => row.id).filter((id) => !seen.has(id));
      for (const id of level) seen.add(id);
    }
    if (asked !== repository.isPrivate)
      await this.deps.events.emit(repositoryVisibilityChanged, { repositoryIds: [...seen], isPrivate: asked });
    return asked;
  }

  /** Makes a repository of its own of a fork. */
  async part(repository: Repository, actor: Actor): Promise<Repository> {
    const { database } = this.deps;
    return database.write(async () => {
      const changed = await database
        .query(RepositoryRow)
        .findById(repository.id)
        .where('fork_of_id', repository.forkOfId)
        .patch({ fork_of_id: 0, updated_at: Date.now() });
      if (changed && repository.forkOfId)
        await database
          .query(RepositoryRow)
          .findById(repository.forkOfId)
          .where('fork_count', '>', 0)
          .decrement('fork_count', 1);
      await this.deps.events.emit(repositoryEdited, { repositoryId: repository.id, actorId: actor.id });
      return toRepository(await database.query(RepositoryRow).findById(repository.id).throwIfNotFound());
    });
  }

  async rename(repository: Repository, name: string, actorId?: number): Promise<Repository> {
    checkRepositoryName(name);
    const { database } = this.deps;
    const store = async () => {
      await this.#move(await lockPresentRow(database, repository), name, actorId);
      return toRepository(await database.query(RepositoryRow).findById(repository.id).throwIfNotFound());
    };
    return retryDuplicate(() => database.write(store));
  }

  async #move(repository: Repository, name: string, actorId?: number): Promise<void> {
    const { database } = this.deps;
    const lowerName = name.toLowerCase();
    const there = await database.query(RepositoryRow).findOne({ owner_id: repository.ownerId, lower_name: lowerName });
    if (there && there.id !== repository.id)
      throw Invalid(t.later('error.nameTaken'), { inputs: { name: t.later('error.nameTaken') } });
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
    const from = `${repository.ownerName}/${repository.name}`;
    await this.deps.events.emit(actAudited, auditedRepositoryAct('rename', { ...repository, name }, { from }));
    await this.deps.events.emit(repositoryRenamed, {
      repositoryId: repository.id,
      from,
      to: `${repository.ownerName}/${name}`,
      ...(actorId !== undefined && { actorId }),
    });
  }

  async delete(repository: Repository, actorId = 0, record: Record<string, unknown> = {}): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      await this.#deleteRows(await lockPresentRow(database, repository), actorId, record);
      // not before what leads to it is gone for good: the caller may have a transaction of its own
      database.afterCommit(async () => {
        await this.deps.git.delete(repository.id);
        await this.deps.git.delete(repository.id, 'wiki');
      });
    });
  }

  /** The database's part of deleting, inside the caller's transaction. */
  async #deleteRows(repository: Repository, actorId: number, record: Record<string, unknown>): Promise<void> {
    const { database, events } = this.deps;
    await events.emit(repositoryDeleting, { repositoryId: repository.id });
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
    const act = auditedRepositoryAct('delete', repository);
    await events.emit(actAudited, { ...act, ...(actorId > 0 && { actorId }) });
  }

  async setDerived(id: number, derived: Parameters<Repositories['setDerived']>[1]): Promise<void> {
    const patch = {
      ...(derived.isEmpty !== undefined && { is_empty: derived.isEmpty }),
      ...(derived.language !== undefined && { language: derived.language }),
      ...(derived.licenses !== undefined && { licenses: [...derived.licenses] }),
      ...(derived.sizeBytes !== undefined && { size_bytes: derived.sizeBytes }),
      ...(derived.branchCount !== undefined && { branch_count: derived.branchCount }),
      ...(derived.defaultBranch !== undefined && { default_branch: derived.defaultBranch }),
      ...(derived.pushedAt !== undefined && { updated_at: derived.pushedAt }),
    };
    if (Object.keys(patch).length === 0) return;
    await this.deps.database.write(
      async () => void (await this.deps.database.query(RepositoryRow).findById(id).patch(patch)),
    );
  }

  describe: RepositoryCreator['describe'] = async (id, changes) => {
    const { description, website, originalUrl, status } = changes;
    const { database } = this.deps;
    const patch = {
      ...(description !== undefined && { description }),
      ...(website !== undefined && { website }),
      ...(originalUrl !== undefined && { original_url: originalUrl }),
      ...(status !== undefined && { status }),
    };
    await database.write(async () => void (await database.query(RepositoryRow).findById(id).patch(patch)));
  };

  async setMirror(...[id, mirror]: Parameters<Repositories['setMirror']>): Promise<void> {
    const patch = mirror
      ? {
          is_mirror: true,
          ...(mirror.intervalMs !== undefined && { mirror_interval: mirror.intervalMs }),
          ...(mirror.syncedAt !== undefined && { mirror_synced_at: mirror.syncedAt }),
          ...(mirror.originalUrl !== undefined && { original_url: mirror.originalUrl }),
        }
      : { is_mirror: false, mirror_interval: 0, mirror_synced_at: 0 };
    const { database } = this.deps;
    await database.write(async () => void (await database.query(RepositoryRow).findById(id).patch(patch)));
  }

  async count(id: number | readonly number[], counter: RepositoryCount, by: number): Promise<void> {
    const { database } = this.deps;
    if (typeof id === 'number')
      await database.rows.updatePipelined(RepositoryRow, { id }, { add: { [counters[counter]]: by } });
    else if (id.length > 0)
      await database
        .query(RepositoryRow)
        .whereIn('id', [...id])
        .increment(counters[counter], by);
  }

  hold(id: number): Promise<void> {
    return lockRepositoryRow(this.deps.database, id);
  }

  /** Without wishes for units that are switched off for all. */
  #possible(units: UnitChanges['units'] = {}): Record<string, boolean> {
    const { disabledUnits } = this.deps.settings;
    return Object.fromEntries(Object.entries(units).filter(([key, on]) => !(on && disabledUnits.has(key))));
  }

  #changedUnits(repository: Repository, { units, unitConfig }: UnitChanges): Unit[] {
    return this.deps.units.changed(repository.units, {
      units: this.#possible(units),
      ...(unitConfig && { unitConfig }),
    });
  }
}
