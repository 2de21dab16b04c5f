import type { Cache, Database, Events, Site } from '@mortise/plugin-sdk';
import type { Accounts, PublicKeys } from '@mortise/accounts/api';
import type { GitReader, GitStore, GitWriter, RefUpdates } from '@mortise/git/api';
import type { AccessMode, Repository } from '../api.js';
import { unitSet, type RepositorySettings } from '../settings.js';
import { AccessService } from './access.js';
import { DeployKeyService } from './deploy-keys.js';
import { FirstCommit } from './first-commit.js';
import { ForkService } from './forks.js';
import { PeopleService } from './people.js';
import { RepositoryPresenter } from './present.js';
import { RepositoryService } from './repositories.js';
import { TopicService } from './topics.js';
import { TransferService } from './transfers.js';

export interface Room {
  readonly repositories: RepositoryService;
  readonly access: AccessService;
  readonly people: PeopleService;
  readonly topics: TopicService;
  readonly forks: ForkService;
  readonly presenter: RepositoryPresenter;
  readonly transfers: TransferService;
  readonly deployKeys: DeployKeyService;
}

interface Services {
  readonly database: Database;
  readonly events: Events;
  readonly cache: Cache;
  readonly site: Site;
  readonly accounts: Accounts;
  readonly publicKeys: PublicKeys;
  readonly gitStore: GitStore;
  readonly gitReader: GitReader;
  readonly gitWriter: GitWriter;
  readonly refUpdates: RefUpdates;
}

/** Builds the services of this plugin, which know each other. */
export function makeRoom(services: Services, settings: RepositorySettings): Room {
  const { database, accounts, cache, site } = services;
  const disabled = unitSet(settings.DISABLED_REPO_UNITS);
  // The two know each other; filled below.
  const late: { presenter?: RepositoryPresenter } = {};
  const repositories = new RepositoryService({
    database,
    events: services.events,
    accounts,
    git: services.gitStore,
    rows: cache.fresh<Repository | undefined>('repositories.rows', { max: 5000 }),
    firstCommit: new FirstCommit({ accounts, writer: services.gitWriter, refs: services.refUpdates }),
    presenter: () => late.presenter!,
    settings: {
      defaultBranch: settings.DEFAULT_BRANCH,
      defaultUnits: new Set([...unitSet(settings.DEFAULT_REPO_UNITS)].filter((key) => !disabled.has(key))),
      maxCreationLimit: settings.MAX_CREATION_LIMIT,
      forcePrivate: settings.FORCE_PRIVATE,
    },
  });
  const access = new AccessService({
    database,
    accounts,
    finder: repositories,
    modes: cache.fresh<AccessMode>('repositories.modes', { max: 20_000 }),
  });
  const host = new URL(site.rootUrl).hostname;
  const presenter = (late.presenter = new RepositoryPresenter({
    database,
    accounts,
    access,
    finder: repositories,
    site,
    records: cache.fresh<unknown>('repositories.records', { max: 2000 }),
    sshAddress: (path) => `git@${host}:${path}.git`,
  }));
  const people = new PeopleService(database, (userId, by) => accounts.addStarred(userId, by));
  const topics = new TopicService(database);
  const forks = new ForkService({
    accounts,
    repositories,
    store: services.gitStore,
    reader: services.gitReader,
    writer: services.gitWriter,
    refs: services.refUpdates,
    topics,
  });
  const transfers = new TransferService({ database, events: services.events, accounts, repositories, people });
  const deployKeys = new DeployKeyService({ database, keys: services.publicKeys });
  return { repositories, access, people, topics, forks, presenter, transfers, deployKeys };
}
