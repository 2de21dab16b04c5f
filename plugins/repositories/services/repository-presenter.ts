import {
  apiTime,
  identityOf,
  viewerKey,
  type Actor,
  type Database,
  type QueryCache,
  type ResponseCache,
  type PointReader,
  type Reply,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, Memberships } from '@mortise/accounts/api';
import { formatInterval } from '../api.js';
import type { ApiRepository, Repository, RepositoryContext, RepositoryCreationPolicy } from '../api.js';
import type { RepositorySearch } from '../contract/repositories.js';
import type { AccessService } from './access.js';
import type { RepositoryFinder } from './repository-finder.js';
import type { Units } from './units.js';
import type { PendingTransfers } from './waiting-transfers.js';

const syncTime = (at: number | undefined) => (at ? apiTime(at) : '0001-01-01T00:00:00Z');
const epochTime = '1970-01-01T00:00:00Z';

/** All about an actor that a record depends on. */
const viewer = (actor: Actor) =>
  `${actor.kind}:${actor.id}:${actor.credentialId ?? 0}:${actor.isAdmin}:${actor.isRestricted}:${actor.publicOnly}`;

/** REP-01: what may be done with the code. */
export const permissionsOf = (context: RepositoryContext) => ({
  admin: context.may('admin'),
  push: context.may('write', 'code'),
  pull: context.may('read', 'code'),
});

/** Owners are shown as to any other user, also to themselves. */
const asStranger = (actor: Actor): Actor => ({ ...actor, id: 0, isAdmin: false });

interface RepositoryResults {
  readonly body: Readonly<{ ok: true; data: readonly ApiRepository[] }>;
  readonly total: number;
}

/** Makes the REST record `Repository`. */
export class RepositoryPresenter {
  constructor(
    private readonly deps: {
      database: Database;
      accounts: Accounts;
      memberships: Pick<Memberships, 'viewable'>;
      access: AccessService;
      transfers: PendingTransfers;
      creationPolicies: PointReader<RepositoryCreationPolicy>;
      finder: RepositoryFinder;
      site: Site;
      sshAddress: (path: string) => string;
      drawAvatars: boolean;
      units: Units;
      /** Records as one actor sees them. */
      records: QueryCache<unknown>;
      /** Pages of lists, as they are sent. */
      lists: ResponseCache;
    },
  ) {}

  htmlUrl = (repository: Repository) => this.deps.site.url(`/${repository.ownerName}/${repository.name}`);
  apiUrl = (repository: Repository) => this.deps.site.url(`/api/v1/repos/${repository.ownerName}/${repository.name}`);
  cloneUrl = (repository: Repository) => `${this.htmlUrl(repository)}.git`;
  /** Empty where there is no picture, unless pictures are drawn for those (`REPOSITORY_AVATAR_FALLBACK`). */
  avatarUrl = (repository: Repository) => {
    const key = repository.avatar || (this.deps.drawAvatars ? `r${repository.id}` : '');
    return key && this.deps.site.url(`/repo-avatars/${key}`);
  };

  async toApi(repositories: readonly Repository[], actor: Actor): Promise<ApiRepository[]> {
    const parents = await this.deps.finder.byIds(repositories.map((one) => one.forkOfId).filter(Boolean));
    const owners = await this.deps.accounts.byIds([...repositories, ...parents.values()].map((one) => one.ownerId));
    const contexts = await this.deps.access.contexts(actor, [...repositories, ...parents.values()]);
    const made = repositories.flatMap((repository) => {
      const context = contexts.get(repository.id);
      if (!context) return [];
      const parent = parents.get(repository.forkOfId);
      const parentContext = parent && contexts.get(parent.id);
      const parentRecord =
        parent && parentContext?.may('read')
          ? // A parent carries the rights on the fork: so clients know the record.
            {
              ...this.#record(parent, parentContext, owners.get(parent.ownerId), actor, null),
              permissions: permissionsOf(context),
            }
          : null;
      return [this.#record(repository, context, owners.get(repository.ownerId), actor, parentRecord)];
    });
    return this.#withTransfers(made, actor);
  }

  /** The record of the repository that a route resolved; one further read at most (the parent). */
  ofContext(context: RepositoryContext, actor: Actor): Promise<ApiRepository> {
    // frozen, so that its text is made once
    const make = async () => Object.freeze(await this.#ofContext(context, actor));
    const { repository, owner, mode } = context;
    const rights = `${mode}:${Object.values(permissionsOf(context)).map(Number).join('')}`;
    const key = `${identityOf(repository)}:${identityOf(owner)}:${rights}:${viewer(actor)}`;
    return this.deps.records.load(key, make) as Promise<ApiRepository>;
  }

  /** What a search finds, as its answer; the same question between two writes is answered once. */
  results(search: RepositorySearch, actor: Actor): Promise<RepositoryResults> {
    const make = async () => {
      const { items, total } = await this.deps.finder.search(search, actor);
      return { body: Object.freeze({ ok: true, data: await this.toApi(items, actor) }), total };
    };
    const key = `search:${viewer(actor)}:${JSON.stringify(search)}`;
    return this.deps.records.load(key, make) as Promise<RepositoryResults>;
  }

  /** A page of what a search finds, as the answer of a list. */
  list(search: RepositorySearch, actor: Actor): Promise<Reply> {
    return this.deps.lists.list(`${viewerKey(actor)} ${JSON.stringify(search)}`, async () => {
      const { items, total } = await this.deps.finder.search(search, actor);
      return { items: await this.toApi(items, actor), total };
    });
  }

  async #ofContext(context: RepositoryContext, actor: Actor): Promise<ApiRepository> {
    if (context.repository.forkOfId) return (await this.toApi([context.repository], actor))[0]!;
    const record = this.#record(context.repository, context, context.owner, actor, null);
    return (await this.#withTransfers([record], actor))[0]!;
  }

  /** Adds who is to have what waits to be handed over. */
  async #withTransfers(records: readonly ApiRepository[], actor: Actor): Promise<ApiRepository[]> {
    if (records.length === 0) return [];
    const { accounts, memberships } = this.deps;
    const transfers = await this.deps.transfers.of(records.map((record) => record.id));
    if (transfers.size === 0) return [...records];
    const known = await accounts.byIds([...transfers.values()].flatMap((one) => [one.doerId, one.recipientId]));
    const seen = new Set((await memberships.viewable(actor, [...known.values()])).map((account) => account.id));
    const user = (id: number) => (seen.has(id) ? accounts.toApiUser(known.get(id)!, actor) : accounts.ghost());
    const teamIds = [...new Set([...transfers.values()].flatMap((one) => one.teamIds))];
    const found = await Promise.all(
      this.deps.creationPolicies.list().map((creationPolicy) => creationPolicy.teamRecords(teamIds, actor)),
    );
    const teams = new Map(found.flatMap((some) => [...some]));
    const waiting = new Map(
      [...transfers].map(([id, { doerId, recipientId, teamIds }]) => [
        id,
        { doer: user(doerId), recipient: user(recipientId), teams: teamIds.flatMap((team) => teams.get(team) ?? []) },
      ]),
    );
    return records.map((record) =>
      waiting.has(record.id) ? { ...record, repo_transfer: waiting.get(record.id) } : record,
    );
  }

  #record(
    repository: Repository,
    context: RepositoryContext,
    owner: Account | undefined,
    actor: Actor,
    parent: ApiRepository | null,
  ): ApiRepository {
    const { accounts, sshAddress } = this.deps;
    const path = `${repository.ownerName}/${repository.name}`;
    return {
      id: repository.id,
      owner: owner ? accounts.toApiUser(owner, asStranger(actor)) : accounts.ghost(),
      name: repository.name,
      full_name: path,
      description: repository.description,
      empty: repository.isEmpty,
      private: repository.isPrivate,
      fork: repository.forkOfId !== 0,
      template: repository.isTemplate,
      ...(repository.forkOfId ? { parent } : {}),
      mirror: repository.mirror !== undefined,
      size: Math.ceil(repository.sizeBytes / 1024),
      language: repository.language,
      languages_url: `${this.apiUrl(repository)}/languages`,
      html_url: this.htmlUrl(repository),
      url: this.apiUrl(repository),
      link: '',
      ssh_url: sshAddress(path),
      clone_url: this.cloneUrl(repository),
      original_url: repository.originalUrl,
      website: repository.website,
      stars_count: repository.starCount,
      forks_count: repository.forkCount,
      watchers_count: repository.watcherCount,
      branch_count: repository.branchCount,
      default_branch: repository.defaultBranch,
      archived: repository.isArchived,
      created_at: apiTime(repository.createdAt),
      updated_at: apiTime(repository.updatedAt),
      archived_at: repository.archivedAt ? apiTime(repository.archivedAt) : epochTime,
      permissions: permissionsOf(context),
      ...this.deps.units.record(repository),
      avatar_url: this.avatarUrl(repository),
      internal: !repository.isPrivate && owner?.visibility === 'private',
      mirror_interval: repository.mirror ? formatInterval(repository.mirror.intervalMs) : '',
      object_format_name: repository.objectFormat,
      mirror_updated: syncTime(repository.mirror?.syncedAt),
      mirror_last_sync_at: syncTime(repository.mirror?.syncedAt),
      topics: repository.topics,
      licenses: repository.licenses,
    };
  }
}
