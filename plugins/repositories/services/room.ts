import { resolve } from 'node:path';
import type { Cache, Database, Events, Locks, Site, Storage } from '@mortise/plugin-sdk';
import type { Accounts, PublicKeys } from '@mortise/accounts/api';
import type { GitProcesses, GitReader, GitStore, GitWriter, RefUpdates } from '@mortise/git/api';
import type { AccessMode, Repository } from '../api.js';
import { unitSet, type AvatarSettings, type HookSettings, type RepositorySettings } from '../settings.js';
import { AccessService } from './access.js';
import { AdoptionService } from './adoption.js';
import { RepositoryAvatars } from './avatars.js';
import { DeployKeyService } from './deploy-keys.js';
import { FirstCommit } from './first-commit.js';
import { ForkService } from './forks.js';
import { GitHookService } from './git-hooks.js';
import { HeaderService, type HeaderFacts } from './header.js';
import { IssueFiles } from './issue-files.js';
import type { IssueTemplate } from './issue-template.js';
import { LicenseDetector } from './licenses.js';
import { PeopleService } from './people.js';
import { RepositoryPresenter } from './present.js';
import { RepositoryService } from './repositories.js';
import { TopicService } from './topics.js';
import { TransferService } from './transfers.js';
import { UpstreamService } from './upstream.js';

export interface Room {
  readonly repositories: RepositoryService;
  readonly access: AccessService;
  readonly people: PeopleService;
  readonly topics: TopicService;
  readonly forks: ForkService;
  readonly presenter: RepositoryPresenter;
  readonly header: HeaderService;
  readonly transfers: TransferService;
  readonly deployKeys: DeployKeyService;
  readonly upstream: UpstreamService;
  readonly avatars: RepositoryAvatars;
  readonly licenses: LicenseDetector;
  readonly issueFiles: IssueFiles;
  readonly hooks: GitHookService;
  readonly adoption: AdoptionService;
}

export interface RoomSettings {
  readonly repository: RepositorySettings;
  readonly hooks: HookSettings;
  readonly avatars: AvatarSettings;
}

interface Services {
  readonly database: Database;
  readonly events: Events;
  readonly cache: Cache;
  readonly locks: Locks;
  readonly site: Site;
  readonly accounts: Accounts;
  readonly publicKeys: PublicKeys;
  readonly gitStore: GitStore;
  readonly gitReader: GitReader;
  readonly gitWriter: GitWriter;
  readonly refUpdates: RefUpdates;
  readonly gitProcesses: GitProcesses;
  readonly storage: Storage;
}

/** Builds the services of this plugin, which know each other. */
export function makeRoom(
  services: Services,
  { repository: settings, hooks: hookSettings, avatars: avatarSettings }: RoomSettings,
  sshAddress: (path: string) => string,
): Room {
  const { database, accounts, cache, site } = services;
  const disabled = unitSet(settings.DISABLED_REPO_UNITS);
  // The two know each other; filled below.
  const late: { presenter?: RepositoryPresenter } = {};
  const repositories = new RepositoryService({
    database,
    events: services.events,
    locks: services.locks,
    accounts,
    git: services.gitStore,
    rows: cache.fresh<Repository | undefined>('repositories.rows', { max: 5000 }),
    mainLanguages: cache.memory<string[]>('repositories.languages', { max: 1, ttl: 5 * 60_000 }),
    firstCommit: new FirstCommit({ accounts, writer: services.gitWriter, refs: services.refUpdates }),
    presenter: () => late.presenter!,
    settings: {
      defaultBranch: settings.DEFAULT_BRANCH,
      defaultUnits: new Set([...unitSet(settings.DEFAULT_REPO_UNITS)].filter((key) => !disabled.has(key))),
      disabledUnits: disabled,
      creationLimit: ({ kind }) => {
        const own = kind === 'user' ? settings.USER_MAX_CREATION_LIMIT : settings.ORG_MAX_CREATION_LIMIT;
        return own >= 0 ? own : settings.MAX_CREATION_LIMIT;
      },
      forcePrivate: settings.FORCE_PRIVATE,
    },
  });
  const access = new AccessService({
    database,
    accounts,
    finder: repositories,
    modes: cache.fresh<AccessMode>('repositories.modes', { max: 20_000 }),
  });
  const presenter = (late.presenter = new RepositoryPresenter({
    database,
    accounts,
    access,
    finder: repositories,
    site,
    records: cache.fresh<unknown>('repositories.records', { max: 2000 }),
    sshAddress,
    drawAvatars: avatarSettings.REPOSITORY_AVATAR_FALLBACK === 'random',
  }));
  const header = new HeaderService({
    database,
    accounts,
    access,
    finder: repositories,
    cached: cache.fresh<HeaderFacts>('repositories.headers', { max: 5000 }),
  });
  const people = new PeopleService(database, accounts);
  const topics = new TopicService(database);
  const git = {
    store: services.gitStore,
    reader: services.gitReader,
    writer: services.gitWriter,
    refs: services.refUpdates,
  };
  const allowed = (units: string) => new Set([...unitSet(units)].filter((key) => !disabled.has(key)));
  const hooks = new GitHookService({
    database,
    accounts,
    store: services.gitStore,
    processes: services.gitProcesses,
    disabled: hookSettings.DISABLE_GIT_HOOKS,
  });
  const forks = new ForkService({
    ...git,
    accounts,
    repositories,
    topics,
    events: services.events,
    locks: services.locks,
    hooks,
    addresses: {
      html: presenter.htmlUrl,
      clone: presenter.cloneUrl,
      ssh: ({ ownerName, name }) => sshAddress(`${ownerName}/${name}`),
    },
    settings: {
      forkUnits: allowed(settings.DEFAULT_FORK_REPO_UNITS),
      forksOverLimit: settings.ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT,
      forcePrivate: settings.FORCE_PRIVATE,
    },
  });
  const upstream = new UpstreamService({ ...git, accounts, access, repositories });
  const avatars = new RepositoryAvatars(
    () => services.storage.area('repo-avatars'),
    avatarSettings.REPOSITORY_AVATAR_MAX_FILE_SIZE,
    { width: avatarSettings.REPOSITORY_AVATAR_MAX_WIDTH, height: avatarSettings.REPOSITORY_AVATAR_MAX_HEIGHT },
  );
  const licenses = new LicenseDetector(cache.memory<string>('repositories.licenses', { max: 5000 }));
  const issueFiles = new IssueFiles(
    services.gitReader,
    cache.memory<readonly IssueTemplate[]>('repositories.issueTemplates', { max: 500 }),
  );
  const adoption = new AdoptionService({
    ...git,
    accounts,
    repositories,
    licenses,
    root: resolve(site.workDir, settings.ADOPTION_PATH),
    units: allowed(settings.DEFAULT_REPO_UNITS),
    defaultBranch: settings.DEFAULT_BRANCH,
  });
  const transfers = new TransferService({ database, events: services.events, accounts, repositories, people });
  const deployKeys = new DeployKeyService({ database, keys: services.publicKeys });
  return {
    repositories,
    access,
    people,
    topics,
    forks,
    presenter,
    header,
    transfers,
    deployKeys,
    upstream,
    avatars,
    licenses,
    issueFiles,
    hooks,
    adoption,
  };
}
