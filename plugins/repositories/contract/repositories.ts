import type { QueryBuilder } from 'objection';
import {
  defineGrant,
  defineService,
  defineResource,
  type Actor,
  type Reply,
  type Model,
  type ResourceResolver,
  type Text,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { RepositoryMirror } from './mirror.js';
import type { ApiRepository } from './model.js';

/** What an actor may do, weakest first. */
export type AccessMode = 'none' | 'read' | 'write' | 'admin' | 'owner';
export const accessRank: Readonly<Record<AccessMode, number>> = { none: 0, read: 1, write: 2, admin: 3, owner: 4 };

/**
 * Whose verified signatures a repository trusts: `collaborator` those of its owner and collaborators, `committer` those
 * of the committer, `collaboratorcommitter` those of a committer who is one of them; `default` as the site says.
 */
export const trustModels = ['default', 'collaborator', 'committer', 'collaboratorcommitter'] as const;
export type TrustModel = (typeof trustModels)[number];

type RepositoryStatus = 'ready' | 'migrating';

/** What is stored of a unit of a repository; what it is says its `RepositoryUnit`. */
export interface Unit {
  readonly key: string;
  readonly enabled: boolean;
  /** Options of the unit, for instance `{ allow_rebase: true }` of `pulls`. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** One row of `repository` with its units. Times are milliseconds since 1970 UTC. */
export interface Repository {
  readonly id: number;
  readonly ownerId: number;
  readonly ownerName: string;
  readonly name: string;
  readonly lowerName: string;
  readonly description: string;
  readonly website: string;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
  /** The owner is not public: only members (or signed-in users) see it. */
  readonly ownerVisibility: 'public' | 'limited' | 'private';
  readonly isTemplate: boolean;
  readonly isArchived: boolean;
  readonly archivedAt: number;
  readonly isEmpty: boolean;
  /** Where it was imported from, without credentials; empty: nowhere. */
  readonly originalUrl: string;
  /** `migrating`: an import is writing it, or waits or failed with it half done; nobody else writes until it is `ready`. */
  readonly status: RepositoryStatus;
  /** The repository this is a fork of; 0: none. */
  readonly forkOfId: number;
  readonly objectFormat: 'sha1' | 'sha256';
  readonly trustModel: TrustModel;
  readonly avatar: string;
  readonly topics: readonly string[];
  /** SPDX identifiers of the licence files at the head of the default branch. */
  readonly licenses: readonly string[];
  readonly units: readonly Unit[];
  /** Name of the main language, and bytes by language with the commit that they were counted at. */
  readonly language: string;
  readonly sizeBytes: number;
  readonly mirror: RepositoryMirror | undefined;
  readonly starCount: number;
  readonly watcherCount: number;
  readonly forkCount: number;
  readonly branchCount: number;
  readonly releaseCount: number;
  readonly openIssueCount: number;
  readonly openPullCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A repository without what it counts, which changes with every star and every issue. */
export type RepositoryBasics = Omit<
  Repository,
  'starCount' | 'watcherCount' | 'forkCount' | 'branchCount' | 'releaseCount' | 'openIssueCount' | 'openPullCount'
>;

/** What routes of a repository get as `resource`. */
export interface RepositoryContext {
  readonly repository: Repository;
  readonly owner: Account;
  /** The actor's mode over all units: the best of them. */
  readonly mode: AccessMode;
  /** The actor's mode on one unit; `none` when the unit is off. */
  modeOf(unit: string): AccessMode;
  /** May the actor do that? `may('write', 'code')` */
  may(mode: AccessMode, unit?: string): boolean;
}

/** Resolved from `{owner}` and `{repo}`: 404, 403, 423 for writes to an archived one, 301 after a rename (GEN-06). */
export const repositoryResource = defineResource<RepositoryContext>('repositories.repository');

/** The same for pages of code; with `?go-get=1` the answer is what the Go tool asks for. */
export const codeResource = defineResource<RepositoryContext>('repositories.code');

export interface NewRepository {
  readonly name: string;
  readonly description?: string;
  readonly isPrivate?: boolean;
  readonly isTemplate?: boolean;
  readonly defaultBranch?: string;
  readonly objectFormat?: 'sha1' | 'sha256';
  readonly trustModel?: TrustModel;
  /** First commit with README, licence and ignore file. */
  readonly autoInit?: boolean;
  readonly readme?: string;
  readonly license?: string;
  /** Names of templates, separated by commas. */
  readonly gitignores?: string;
  /** Name of the set of labels to start with; told in {@link repositoryCreated}. */
  readonly issueLabels?: string;
  /** By the key of the unit. */
  readonly units?: Readonly<Record<string, boolean>>;
}

export interface RepositorySearch {
  /** Several, with commas between them: one of them is enough. */
  readonly text?: string;
  /** `text` is compared with topics only, as a whole. */
  readonly topicOnly?: boolean;
  readonly includeDescription?: boolean;
  /** What it owns, and what it works on as collaborator unless `exclusive`. */
  readonly ownerId?: number;
  /** What one of these accounts owns. */
  readonly ownerIds?: readonly number[];
  /** What this account owns comes first. */
  readonly priorityOwnerId?: number;
  /** Owned, or made accessible as collaborator to this user. */
  readonly accessibleTo?: number;
  /** Those that stand so to an account or a team, by keys of `repositoryRelations`; none where no plugin knows one. */
  readonly related?: readonly { readonly relation: string; readonly id: number }[];
  readonly forkOf?: number;
  readonly isPrivate?: boolean;
  /** Only what everybody may see, whoever asks. */
  readonly openOnly?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  /** Name of the main language. */
  readonly language?: string;
  readonly mode?: 'source' | 'fork' | 'mirror' | 'collaborative';
  readonly exclusive?: boolean;
  /** `alpha`: by name; `path`: by owner, then name. */
  readonly sort?:
    | 'alpha'
    | 'path'
    | 'created'
    | 'updated'
    | 'size'
    | 'git_size'
    | 'lfs_size'
    | 'stars'
    | 'forks'
    | 'id';
  readonly descending?: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** Counters of a repository that plugins keep. */
export type RepositoryCount =
  | 'starCount'
  | 'watcherCount'
  | 'releaseCount'
  | 'openIssueCount'
  | 'openPullCount'
  | 'sizeBytes';

export interface Repositories {
  byId(id: number): Promise<Repository | undefined>;
  /** Read anew far less often, for whoever needs no counts. */
  basicsById(id: number): Promise<RepositoryBasics | undefined>;
  byIds(ids: readonly number[]): Promise<Map<number, Repository>>;
  /** Case-insensitive; a hot read. */
  byPath(owner: string, name: string): Promise<Repository | undefined>;
  /** Creates it for `owner` on behalf of `actor`; Conflict when the name is taken, Invalid for a bad name. */
  create(owner: Account, options: NewRepository, actor: Actor): Promise<Repository>;
  /** `record`: as it was, for those who tell about it. */
  delete(repository: Repository, actorId?: number, record?: ApiRepository): Promise<void>;
  rename(repository: Repository, name: string): Promise<Repository>;
  /** Only repositories that `actor` may see, filtered in SQL. */
  search(search: RepositorySearch, actor: Actor): Promise<{ items: Repository[]; total: number }>;
  /** Sets derived counters and facts (language, size, emptiness, branches); touches `updatedAt` when `pushedAt` is given. */
  setDerived(
    id: number,
    derived: {
      isEmpty?: boolean;
      language?: string;
      licenses?: readonly string[];
      sizeBytes?: number;
      branchCount?: number;
      defaultBranch?: string;
      pushedAt?: number;
    },
  ): Promise<void>;
  /**
   * Makes it follow another repository, says when it did last, or with undefined makes it one of its own. Inside the
   * caller's transaction or in one of its own.
   */
  setMirror(
    id: number,
    mirror: (Partial<RepositoryMirror> & { readonly originalUrl?: string }) | undefined,
  ): Promise<void>;
  /** Moves a counter by `by` inside the caller's transaction; of several repositories at once, each by as much. */
  count(id: number | readonly number[], counter: RepositoryCount, by: number): Promise<void>;
  /**
   * First in a transaction that changes what belongs to a repository: waits for others that do, so that what is read
   * afterwards is what they left. NotFound when it is gone.
   */
  hold(id: number): Promise<void>;
  /** Throws Invalid unless the name may be given to a repository. */
  checkName(name: string): void;
  /** Model `Repository` for a viewer; one batch of queries however many. */
  toApi(repositories: readonly Repository[], actor: Actor): Promise<ApiRepository[]>;
  /** A page of what a search finds, as the answer of a list: made once between two changes of what it shows. */
  list(search: RepositorySearch, actor: Actor): Promise<Reply>;
  /** Address of the page, `https://…/owner/name`. */
  htmlUrl(repository: Repository): string;
  apiUrl(repository: Repository): string;
  cloneUrl(repository: Repository): string;
}
export const repositories = defineService<Repositories>('repositories.repositories');

export interface RepositoryAccess {
  /** Everything about one actor and one repository. */
  context(actor: Actor, repository: Repository): Promise<RepositoryContext>;
  /** The same for many, by the id of the repository; asks once for all. Without those whose owner is gone. */
  contexts(actor: Actor, repositories: readonly Repository[]): Promise<ReadonlyMap<number, RepositoryContext>>;
  /**
   * What an account has in repositories, by their ids, to decide about somebody who is not acting: whatever they must do
   * themselves before repositories are open to them ({@link AccessRequirement}) takes nothing from them.
   */
  rightsOf(account: Account, repositories: readonly Repository[]): Promise<ReadonlyMap<number, RepositoryContext>>;
  /** The same of many accounts in one repository, by the ids of the accounts; asks once for all. */
  rightsAmong(accounts: readonly Account[], repository: Repository): Promise<ReadonlyMap<number, RepositoryContext>>;
  /**
   * Those of the accounts, by id, that may read the unit of the repository (undefined: its record) at this moment: whom
   * mails, notifications and streams may tell of what lies in it. Asks once for all.
   */
  readersAmong(accounts: readonly Account[], repository: Repository, unit?: string): Promise<ReadonlySet<number>>;
  /** What the actor must do before any repository is open to it; undefined: nothing. */
  unmetRequirement(actor: Actor): Promise<Text | undefined>;
  /** Finds and authorizes as the resource of routes does; for transports that resolve by themselves. */
  open(request: {
    actor: Actor;
    owner: string;
    name: string;
    unit?: string | readonly string[];
    mode?: 'read' | 'write' | 'admin' | 'owner';
  }): Promise<RepositoryContext>;
  /** The present path `owner/name` of a repository renamed away from this one. */
  renamedTo(owner: string, name: string): Promise<string | undefined>;
  /**
   * Narrows a query of `repository` to those that the actor may see, as lists of repositories do; with units, to those in
   * which it may read one of them.
   */
  visibleTo(actor: Actor, units?: readonly string[]): (query: QueryBuilder<Model>) => void;
}
/** {@link repositoryResource}, for resources of plugins that lie inside a repository: with the redirect after a rename. */
export const repositoryResolver = defineService<ResourceResolver<RepositoryContext>>('repositories.resolver');

export const repositoryAccess = defineService<RepositoryAccess>('repositories.access');

/** People who may be told about a repository. */
export interface RepositoryMembers {
  collaborators(repositoryId: number): Promise<{ userId: number; mode: AccessMode }[]>;
  /** From the point `repositoryWatchers`. */
  watchers(repositoryId: number): Promise<number[]>;
  /** The owner and all to whom a right to write is given: those whom work can be assigned to. */
  writers(repository: Repository): Promise<number[]>;
}
export const repositoryMembers = defineService<RepositoryMembers>('repositories.members');

/** What new repositories and wikis begin with. */
export interface RepositoryDefaults {
  /** `[repository] DEFAULT_BRANCH` */
  readonly branch: string;
  /** `[repository] FORCE_PRIVATE` */
  readonly forcePrivate: boolean;
}
export const repositoryDefaults = defineService<RepositoryDefaults>('repositories.defaults');

/** A key that opens one repository; the same key may be a deploy key of several. */
export interface DeployKey {
  readonly id: number;
  readonly repositoryId: number;
  readonly title: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
  readonly readOnly: boolean;
}

/** The one repository that a deploy key opens. */
interface DeployKeyGrant {
  readonly repositoryId: number;
  readonly readOnly: boolean;
}
export const deployKeyGrant = defineGrant<DeployKeyGrant>('repositories.deployKey');

/** Deploy keys, for transports that sign in with keys. */
export interface DeployKeys {
  /** All rows of this key, one for each repository that it opens. */
  byFingerprint(fingerprint: string): Promise<DeployKey[]>;
  /** Notes the use, written behind. */
  used(id: number): void;
  /**
   * Who acts with this key: kind `deploy-key`, `credentialId` its id, with a {@link deployKeyGrant}.
   * {@link RepositoryAccess} gives such an actor `read` or `write` on that repository's code and nothing elsewhere.
   */
  actor(key: DeployKey): Actor;
}
export const deployKeys = defineService<DeployKeys>('repositories.deployKeys');
