import {
  cache,
  database,
  events,
  ResponseCache,
  locks,
  site,
  storage,
  type PluginHost,
  type PointReader,
} from '@mortise/plugin-sdk';
import {
  accounts,
  memberships,
  ownerQuota,
  publicKeys,
  storedBytes,
  type MembershipSource,
} from '@mortise/accounts/api';
import { gitReader, gitStore, gitWriter } from '@mortise/git/api';
import * as api from '../api.js';
import type { RepositoryWatchers } from '../contract/relations.js';
import { createBody, newRepository } from '../routes/bodies.js';
import { unitSet, type AvatarSettings, type RepositorySettings } from '../settings.js';
import { AccessService } from '../services/access.js';
import { RepositoryAvatars } from '../services/avatars.js';
import { DeployKeyService } from '../services/deploy-keys.js';
import { RepositoryFinder } from '../services/repository-finder.js';
import { FirstCommit } from '../services/first-commit.js';
import { Grants } from '../services/grants.js';
import { HeaderService, type HeaderData } from '../services/header-service.js';
import { LicenseDetector } from '../services/licenses.js';
import { RepositoryCreatorService } from '../services/repository-creator.js';
import { RepositoryQuotaService, repositoryBytes } from '../services/repository-quota-service.js';
import { MemberService } from '../services/member-service.js';
import { RepositoryPresenter } from '../services/repository-presenter.js';
import * as own from '../services/service-refs.js';
import { RepositoryService } from '../services/repositories.js';
import { collaboratorSource, deployKeySource, transferSource } from '../services/access-sources.js';
import { TopicService } from '../services/topics.js';
import { TransferService } from '../services/transfers.js';
import type { Units } from '../services/units.js';
import { PendingTransfers, type PendingTransfer } from '../services/waiting-transfers.js';

interface Points {
  readonly ssh: PointReader<{ address(path: string): string }>;
  readonly edits: PointReader<api.RepositoryEdit>;
  readonly buttons: PointReader<api.RepositoryButton>;
  readonly tabs: PointReader<api.RepositoryTab>;
  readonly relations: PointReader<api.RepositoryRelation>;
  readonly watchers: PointReader<RepositoryWatchers>;
  readonly access: PointReader<api.AccessSource>;
  readonly requirements: PointReader<api.AccessRequirement>;
  readonly creationPolicies: PointReader<api.RepositoryCreationPolicy>;
  readonly memberships: PointReader<MembershipSource>;
}

interface Deps {
  readonly host: PluginHost;
  readonly settings: RepositorySettings;
  readonly pictures: AvatarSettings;
  readonly points: Points;
  readonly units: Units;
}

/** Units that nobody can use here, and those that new repositories begin with. */
function unitDefaults(settings: RepositorySettings) {
  const disabledUnits = unitSet(settings.DISABLED_REPO_UNITS);
  const defaultUnits = new Set([...unitSet(settings.DEFAULT_REPO_UNITS)].filter((key) => !disabledUnits.has(key)));
  return { defaultUnits, disabledUnits };
}

/** Who may do what, and repositories as they are found by those who may see them. */
function registerAccess({ host, points, units }: Deps): void {
  host.service(
    own.waitingTransfers,
    { database, cache },
    (services) =>
      new PendingTransfers(
        services.database,
        services.cache.query<PendingTransfer | undefined>('repositories.transfers'),
      ),
  );
  host.service(
    own.grants,
    { cache, site },
    (services) =>
      new Grants(
        points.access,
        services.cache.query<api.AccessGrant>('repositories.grants'),
        points.requirements,
        services.site,
      ),
  );
  host.contribute(api.accessSources, { database }, (services) => collaboratorSource(services.database));
  host.contribute(api.accessSources, { transfers: own.waitingTransfers, memberships }, (services) =>
    transferSource(services, points.memberships),
  );
  host.contribute(api.accessSources, deployKeySource);
  host.service(
    own.finder,
    { database, cache, grants: own.grants },
    (services) =>
      new RepositoryFinder(
        services.database,
        services.cache.query<api.Repository | undefined>('repositories.rows'),
        services.cache.query<api.RepositoryBasics | undefined>('repositories.basics'),
        services.cache.memory<string[]>('repositories.languages', { ttl: 5 * 60_000 }),
        points.relations,
        services.grants,
      ),
  );
  host.service(
    own.access,
    { database, accounts, finder: own.finder, grants: own.grants, transfers: own.waitingTransfers },
    (services) => new AccessService({ ...services, units }),
  );
}

/** Repositories as they are written. */
function registerWriting({ host, settings, points, units }: Deps): void {
  host.service(
    own.repositoryService,
    {
      database,
      events,
      locks,
      accounts,
      ownerQuota,
      git: gitStore,
      writer: gitWriter,
      commits: api.commitWriter,
      finder: own.finder,
      grants: own.grants,
      presenter: own.presenter,
    },
    (services) =>
      new RepositoryService({
        ...services,
        firstCommit: new FirstCommit(services),
        units,
        edits: points.edits,
        settings: {
          defaultBranch: settings.DEFAULT_BRANCH,
          ...unitDefaults(settings),
          creationLimit: ({ kind }) => {
            const limit = kind === 'user' ? settings.USER_MAX_CREATION_LIMIT : settings.ORG_MAX_CREATION_LIMIT;
            return limit >= 0 ? limit : settings.MAX_CREATION_LIMIT;
          },
          forcePrivate: settings.FORCE_PRIVATE,
        },
      }),
  );
}

/** What the API and the header of pages show. */
function registerPresentation({ host, pictures, points, units }: Deps): void {
  host.service(
    own.presenter,
    {
      database,
      accounts,
      memberships,
      access: own.access,
      transfers: own.waitingTransfers,
      finder: own.finder,
      site,
      cache,
    },
    (services) =>
      new RepositoryPresenter({
        ...services,
        creationPolicies: points.creationPolicies,
        records: services.cache.query<unknown>('repositories.records'),
        lists: new ResponseCache(services.cache, 'repositories.lists'),
        sshAddress: (path) => points.ssh.list()[0]?.address(path) ?? '',
        units,
        drawAvatars: pictures.REPOSITORY_AVATAR_FALLBACK === 'random',
      }),
  );
  host.service(
    own.header,
    { database, accounts, access: own.access, finder: own.finder, transfers: own.transfers, cache },
    (services) =>
      new HeaderService({
        ...services,
        buttons: points.buttons,
        tabs: points.tabs,
        cached: services.cache.query<HeaderData>('repositories.headers'),
      }),
  );
}

/** Members, topics, transfers, keys and pictures. */
function registerProperties({ host, pictures, points }: Deps): void {
  host.service(
    own.members,
    { database, events, accounts, memberships, grants: own.grants },
    (services) => new MemberService({ ...services, watchers: points.watchers }),
  );
  host.service(
    own.topics,
    { database, grants: own.grants },
    (services) => new TopicService(services.database, services.grants),
  );
  host.service(
    own.transfers,
    { database, events, accounts, memberships, repositories: own.repositoryService },
    (services) => new TransferService({ ...services, creationPolicies: points.creationPolicies }),
  );
  host.service(
    own.deployKeyService,
    { database, events, keys: publicKeys },
    (services) => new DeployKeyService({ ...services, log: host.log }),
  );
  host.service(
    own.avatars,
    { storage },
    (services) =>
      new RepositoryAvatars(() => services.storage.area('repo-avatars'), pictures.REPOSITORY_AVATAR_MAX_FILE_SIZE, {
        width: pictures.REPOSITORY_AVATAR_MAX_WIDTH,
        height: pictures.REPOSITORY_AVATAR_MAX_HEIGHT,
      }),
  );
  host.service(
    own.licenses,
    { cache },
    (services) => new LicenseDetector(services.cache.memory<string>('repositories.licenses')),
  );
}

/** Making repositories, for the API and for other plugins. */
function registerCreation({ host, settings, points, units }: Deps): void {
  const { defaultUnits, disabledUnits } = unitDefaults(settings);
  host.service(
    api.repositoryCreation,
    { repositories: own.repositoryService, presenter: own.presenter, creator: api.repositoryCreator },
    ({ repositories, presenter, creator }) => ({
      payload: createBody(units),
      async create(owner, payload, actor) {
        await creator.checkMayCreate(actor, owner);
        const made = await repositories.create(owner, newRepository(payload, units), actor);
        return (await presenter.toApi([made], actor))[0]!;
      },
    }),
  );
  host.service(
    api.repositoryCreator,
    {
      accounts,
      memberships,
      reader: gitReader,
      store: gitStore,
      repositories: own.repositoryService,
      topics: own.topics,
      licenses: own.licenses,
      grants: own.grants,
    },
    (services) =>
      new RepositoryCreatorService({
        ...services,
        defaultUnits,
        disabled: disabledUnits,
        known: units,
        creationPolicies: points.creationPolicies,
      }),
  );
}

/** What other plugins get of the services of this one. */
function exposeServices({ host, settings, units }: Deps): void {
  host.service(api.repositories, { service: own.repositoryService }, (services) => services.service);
  host.service(api.repositoryAccess, { service: own.access }, (services) => services.service);
  host.service(api.repositoryMembers, { service: own.members }, (services) => services.service);
  host.service(api.deployKeys, { service: own.deployKeyService }, (services) => services.service);
  host.service(
    api.repositoryQuota,
    { database, ownerQuota, repositories: own.repositoryService },
    (services) => new RepositoryQuotaService(services),
  );
  host.contribute(storedBytes, { key: 'repositories', count: repositoryBytes });
  host.service(api.knownUnits, {}, () => units);
  host.service(api.repositoryDefaults, {}, () => ({
    branch: settings.DEFAULT_BRANCH,
    forcePrivate: settings.FORCE_PRIVATE,
  }));
}

/** Declares the services of this plugin, each with what it needs. */
export function registerServices(deps: Deps): void {
  registerAccess(deps);
  registerWriting(deps);
  registerPresentation(deps);
  registerProperties(deps);
  registerCreation(deps);
  exposeServices(deps);
}
