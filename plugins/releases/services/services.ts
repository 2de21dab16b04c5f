import { defineService, type Cache, type Database, type Events, type Locks, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Attachments } from '@mortise/attachments/api';
import type { GitReader, GitWriter, RefUpdates } from '@mortise/git/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { Releases } from '../api.js';
import type { ReleaseSettings } from '../settings.js';
import { releaseFiles } from './files.js';
import { ReleaseLedger } from './ledger.js';
import { ReleasePresenter } from './present.js';
import { ReleaseReader } from './reader.js';
import { ReleaseService } from './releases.js';
import { TagMaker } from './tags.js';

export interface ReleaseServiceDeps {
  readonly database: Database;
  readonly events: Events;
  readonly locks: Locks;
  readonly cache: Cache;
  readonly attachments: Attachments;
  readonly site: Site;
  readonly accounts: Accounts;
  readonly git: GitReader;
  readonly writer: GitWriter;
  readonly refs: RefUpdates;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
}

/** Everything of this plugin, built once; not part of the contract. */
export interface ReleaseServices {
  readonly deps: ReleaseServiceDeps;
  readonly settings: ReleaseSettings;
  readonly reader: ReleaseReader;
  readonly presenter: ReleasePresenter;
  readonly ledger: ReleaseLedger;
  readonly releases: ReleaseService;
  /** What other plugins get. */
  readonly shared: Releases;
}
export const releaseServices = defineService<ReleaseServices>('releases.services');

export function makeServices(deps: ReleaseServiceDeps, settings: ReleaseSettings): ReleaseServices {
  const reader = new ReleaseReader(deps.database, deps.cache.query('releases.latest', { max: 2000 }));
  const presenter = new ReleasePresenter(deps);
  const ledger = new ReleaseLedger({ ...deps, presenter });
  return {
    deps,
    settings,
    reader,
    presenter,
    ledger,
    releases: new ReleaseService({ ...deps, reader, ledger, tags: new TagMaker(deps) }),
    shared: shared(reader, presenter, deps.attachments),
  };
}

function shared(reader: ReleaseReader, presenter: ReleasePresenter, attachments: Attachments): Releases {
  return {
    byId: (id) => reader.byId(id),
    byTag: (repositoryId, tagName) => reader.byTag(repositoryId, tagName),
    latest: (repositoryId) => reader.latest(repositoryId),
    list: (search) => reader.list(search),
    assets: (releaseIds) => attachments.list(releaseFiles, releaseIds),
    toApi: (repository, list) => presenter.toApi(repository, list),
    htmlUrl: (repository, release) => presenter.htmlUrl(repository, release),
  };
}
