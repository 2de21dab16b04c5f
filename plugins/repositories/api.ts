/**
 * The contract of `repositories`: what a repository is, who may do what with it, how it is shown, and what happens to
 * it. Types, references, events, points and the schema of the REST model; no behaviour.
 */
import Joi from 'joi';
import type { VNode } from 'preact';
import {
  defineEvent,
  definePoint,
  defineService,
  defineSubject,
  type Actor,
  type Keyed,
  type PageOptions,
  type Slot,
  type WebPage,
} from '@mortise/plugin-sdk';
import { userSchema, type Account, type ApiUser } from '@mortise/accounts/api';

// ---------------------------------------------------------------- records

/** What an actor may do, weakest first. */
export type AccessMode = 'none' | 'read' | 'write' | 'admin' | 'owner';
export const accessRank: Readonly<Record<AccessMode, number>> = { none: 0, read: 1, write: 2, admin: 3, owner: 4 };

/** Features of a repository that can be switched off; further plugins may add units of their own. */
export type UnitKey = 'code' | 'issues' | 'pulls' | 'releases' | 'wiki' | 'projects' | 'packages' | 'actions';

/**
 * Whose verified signatures a repository trusts: `collaborator` those of its owner and collaborators, `committer` those
 * of the committer, `collaboratorcommitter` those of a committer who is one of them; `default` as the site says.
 */
export const trustModels = ['default', 'collaborator', 'committer', 'collaboratorcommitter'] as const;
export type TrustModel = (typeof trustModels)[number];

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

/** What routes of a repository get as `subject`. */
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
export const repositorySubject = defineSubject<RepositoryContext>('repositories.repository');

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
  readonly units?: Readonly<Partial<Record<UnitKey, boolean>>>;
}

export interface RepositorySearch {
  /** Several, with commas between them: one of them is enough. */
  readonly text?: string;
  /** `text` is compared with topics only, as a whole. */
  readonly topicOnly?: boolean;
  readonly includeDescription?: boolean;
  /** What it owns, and what it works on as collaborator unless `exclusive`. */
  readonly ownerId?: number;
  /** What this account owns comes first. */
  readonly priorityOwnerId?: number;
  /** Owned, or made accessible as collaborator to this user. */
  readonly accessibleTo?: number;
  readonly starredBy?: number;
  readonly watchedBy?: number;
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
    'alpha' | 'path' | 'created' | 'updated' | 'size' | 'git_size' | 'lfs_size' | 'stars' | 'forks' | 'id';
  readonly descending?: boolean;
  readonly limit: number;
  readonly offset: number;
}

export interface Repositories {
  byId(id: number): Promise<Repository | undefined>;
  byIds(ids: readonly number[]): Promise<Map<number, Repository>>;
  /** Case-insensitive; a hot read. */
  byPath(owner: string, name: string): Promise<Repository | undefined>;
  /** Creates it for `owner` on behalf of `actor`; Conflict when the name is taken, Invalid for a bad name. */
  create(owner: Account, options: NewRepository, actor: Actor): Promise<Repository>;
  delete(repository: Repository): Promise<void>;
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
  /** Moves a counter by `by` inside the caller's transaction. */
  count(id: number, counter: 'releaseCount' | 'openIssueCount' | 'openPullCount', by: number): Promise<void>;
  /** Throws Invalid unless the name may be given to a repository. */
  checkName(name: string): void;
  /** Model `Repository` for a viewer; one batch of queries however many. */
  toApi(repositories: readonly Repository[], actor: Actor): Promise<ApiRepository[]>;
  /** Address of the page, `https://…/owner/name`. */
  htmlUrl(repository: Repository): string;
  apiUrl(repository: Repository): string;
  cloneUrl(repository: Repository): string;
}
export const repositories = defineService<Repositories>('repositories.repositories');

export interface RepositoryAccess {
  /** Everything about one actor and one repository. */
  context(actor: Actor, repository: Repository): Promise<RepositoryContext>;
  /** Finds and authorizes as the subject of routes does; for transports that resolve by themselves. */
  open(request: {
    actor: Actor;
    owner: string;
    name: string;
    unit?: string | readonly string[];
    mode?: 'read' | 'write' | 'admin' | 'owner';
  }): Promise<RepositoryContext>;
  /** The present path `owner/name` of a repository renamed away from this one. */
  renamedTo(owner: string, name: string): Promise<string | undefined>;
}
export const repositoryAccess = defineService<RepositoryAccess>('repositories.access');

/** People who may be told about a repository. */
export interface RepositoryPeople {
  collaborators(repositoryId: number): Promise<{ userId: number; mode: AccessMode }[]>;
  watchers(repositoryId: number): Promise<number[]>;
}
export const repositoryPeople = defineService<RepositoryPeople>('repositories.people');

/** What new repositories and wikis begin with. */
export interface RepositoryDefaults {
  /** `[repository] DEFAULT_BRANCH` */
  readonly branch: string;
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

/** Deploy keys, for transports that sign in with keys. */
export interface DeployKeys {
  /** All rows of this key, one for each repository that it opens. */
  byFingerprint(fingerprint: string): Promise<DeployKey[]>;
  /** Notes the use, written behind. */
  used(id: number): void;
  /**
   * Who acts with this key: kind `deploy-key`, `credentialId` its id, `extra.repositories` = `{ repositoryId, readOnly }`.
   * {@link RepositoryAccess} gives such an actor `read` or `write` on that repository's code and nothing elsewhere.
   */
  actor(key: DeployKey): Actor;
}
export const deployKeys = defineService<DeployKeys>('repositories.deployKeys');

// ---------------------------------------------------------------- events

export const repositoryCreated = defineEvent<{
  repositoryId: number;
  actorId: number;
  forkOfId: number;
  /** Name of the set of labels to start with (`GET /label/templates`). */
  issueLabels?: string;
}>('repositories.created');
/**
 * A repository was made from a template; what is asked for and belongs to another plugin, that plugin copies. Subscribe
 * `within`.
 */
export const repositoryGenerated = defineEvent<{
  repositoryId: number;
  templateId: number;
  actorId: number;
  labels: boolean;
  webhooks: boolean;
  protectedBranch: boolean;
}>('repositories.generated');
export const repositoryEdited = defineEvent<{ repositoryId: number; actorId: number }>('repositories.edited');
/** A new name or a new owner; both are `owner/name`. `actorId`: who gave it, where that is known. */
export const repositoryRenamed = defineEvent<{ repositoryId: number; from: string; to: string; actorId?: number }>(
  'repositories.renamed',
);
/** Subscribe `within`: remove what belongs to the repository. */
export const repositoryDeleting = defineEvent<{ repositoryId: number }>('repositories.deleting');
export const repositoryDeleted = defineEvent<{
  repositoryId: number;
  ownerId: number;
  actorId: number;
  /** The record as it was, for those who tell about it. */
  record: Record<string, unknown>;
}>('repositories.deleted');

// ---------------------------------------------------------------- facts of other plugins

/** How a repository is reached over SSH, from the plugin that serves it; without one `ssh_url` is empty. */
export const sshAddress = definePoint.one<{
  /** Of `owner/name`: `git@host:owner/name.git`. */
  address(path: string): string;
}>('repositories.sshAddress');

/** What `GET /settings/repository` says is switched off; a key that nobody contributes reads false. */
export const repositoryFeatures = definePoint.keyed<{
  readonly key: 'mirrors' | 'http_git' | 'migrations' | 'time_tracking' | 'lfs';
  readonly disabled: boolean;
}>('repositories.features');

// ---------------------------------------------------------------- pages

export interface RepositoryPlace {
  readonly context: RepositoryContext;
  readonly actor: Actor;
  readonly csrf: string;
}

/** A tab of the repository's header. */
export interface RepositoryTab extends Keyed {
  readonly label: string;
  /** Octicon name. */
  readonly icon: string;
  readonly order?: number;
  /** Path below the repository's page, for instance `releases`; empty: the page itself. */
  readonly href: string;
  visible?(place: RepositoryPlace): boolean;
  count?(place: RepositoryPlace): number | undefined;
}
export const repositoryTabs = definePoint.keyed<RepositoryTab>('repositories.tabs');

/** An entry of the menu on a repository's settings pages; the page belongs to who contributes. */
export interface RepositorySettingsEntry extends Keyed {
  readonly label: string;
  readonly icon?: string;
  readonly order?: number;
  /** Path below `/{owner}/{repo}/settings`, for instance `hooks`. */
  readonly href: string;
}
export const repositorySettingsMenu = definePoint.keyed<RepositorySettingsEntry>('repositories.settingsMenu');

/** Boxes beside the file list of a repository's home page (languages, about …). */
export const repositorySidebar = definePoint.keyed<Slot<RepositoryPlace>>('repositories.sidebar');

export interface RepositoryPages {
  /** Wraps a body into the repository's header with its tabs. */
  page(place: RepositoryPlace, active: string, options: Omit<PageOptions, 'active'>): WebPage;
  /** The same with the menu of the settings pages at the side. */
  settingsPage(place: RepositoryPlace, active: string, options: Omit<PageOptions, 'active'>): WebPage;
  /** A list of repositories as pages show it, with languages, stars and the time of the last change. */
  list(repositories: readonly Repository[]): VNode;
  /** The colour of a language in bars and dots, as CSS has it. */
  languageColor(language: string): string;
}
export const repositoryPages = defineService<RepositoryPages>('repositories.pages');

// ---------------------------------------------------------------- REST model

export interface ApiRepository {
  id: number;
  owner: ApiUser;
  name: string;
  full_name: string;
  description: string;
  empty: boolean;
  private: boolean;
  fork: boolean;
  template: boolean;
  parent?: ApiRepository | null;
  [field: string]: unknown;
}

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();

export const repositorySchema = Joi.object({
  id: count(),
  owner: userSchema.required(),
  name: Joi.string().required(),
  full_name: Joi.string().required(),
  description: text(),
  empty: flag(),
  private: flag(),
  fork: flag(),
  template: flag(),
  parent: Joi.object().unknown().allow(null).label('Repository').description('The repository this was forked from'),
  mirror: flag(),
  size: count().description('KiB on disk'),
  language: text(),
  languages_url: text(),
  html_url: text(),
  url: text(),
  link: text(),
  ssh_url: text(),
  clone_url: text(),
  original_url: text(),
  website: text(),
  stars_count: count(),
  forks_count: count(),
  watchers_count: count(),
  branch_count: count(),
  open_issues_count: count(),
  open_pr_counter: count(),
  release_counter: count(),
  default_branch: text(),
  default_target_branch: Joi.string().allow(''),
  archived: flag(),
  created_at: Joi.string().isoDate().required(),
  updated_at: Joi.string().isoDate().required(),
  archived_at: Joi.string().isoDate().required(),
  permissions: Joi.object({ admin: flag(), push: flag(), pull: flag() }).label('Permission'),
  has_code: flag(),
  has_issues: flag(),
  internal_tracker: Joi.object({
    enable_time_tracker: flag(),
    allow_only_contributors_to_track_time: flag(),
    enable_issue_dependencies: flag(),
  }).label('InternalTracker'),
  external_tracker: Joi.object({
    external_tracker_url: text(),
    external_tracker_format: text(),
    external_tracker_style: text(),
    external_tracker_regexp_pattern: text(),
  }).label('ExternalTracker'),
  external_wiki: Joi.object({ external_wiki_url: text() }).label('ExternalWiki'),
  has_wiki: flag(),
  has_pull_requests: flag(),
  has_projects: flag(),
  projects_mode: text(),
  has_releases: flag(),
  has_packages: flag(),
  has_actions: flag(),
  ignore_whitespace_conflicts: flag(),
  allow_merge_commits: flag(),
  allow_rebase: flag(),
  allow_rebase_explicit: flag(),
  allow_squash_merge: flag(),
  allow_fast_forward_only_merge: flag(),
  allow_merge_update: flag(),
  allow_rebase_update: flag(),
  allow_manual_merge: flag(),
  autodetect_manual_merge: flag(),
  default_delete_branch_after_merge: flag(),
  default_merge_style: text(),
  default_update_style: text(),
  default_allow_maintainer_edit: flag(),
  avatar_url: text(),
  internal: flag(),
  mirror_interval: text(),
  object_format_name: Joi.string().valid('sha1', 'sha256').required(),
  mirror_updated: Joi.string().isoDate(),
  mirror_last_sync_at: Joi.string().isoDate(),
  repo_transfer: Joi.object({
    doer: userSchema.required(),
    recipient: userSchema.required(),
    teams: Joi.array().items(Joi.object().unknown().label('Team')).allow(null),
  })
    .allow(null)
    .label('RepoTransfer'),
  topics: Joi.array().items(Joi.string()).allow(null),
  licenses: Joi.array().items(Joi.string()).allow(null),
}).label('Repository');
