import {
  defineService,
  type Cache,
  type Database,
  type Events,
  type Locks,
  type PointReader,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Attachments } from '@mortise/attachments/api';
import type { GitReader, GitWriter, RefUpdates } from '@mortise/git/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { Releases } from '../contract/releases.js';
import type { ReleaseSettings } from '../settings.js';
import { releaseFiles } from './files.js';
import type { MergedPullSource } from './merged-pulls.js';
import { ReleaseNotes } from './release-notes.js';
import { ReleaseStore } from './release-store.js';
import { ReleasePresenter } from './release-presenter.js';
import { ReleaseReader } from './release-reader.js';
import { ReleaseService } from './releases.js';
import { TagMaker } from './tags.js';

interface ReleaseServiceDeps {
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
  readonly releaseStore: ReleaseStore;
  readonly releases: ReleaseService;
  readonly notes: ReleaseNotes;
  /** What other plugins get. */
  readonly contract: Releases;
}
export const releaseServices = defineService<ReleaseServices>('releases.services');

export function createServices(
  deps: ReleaseServiceDeps,
  mergedPulls: PointReader<MergedPullSource>,
  settings: ReleaseSettings,
): ReleaseServices {
  const reader = new ReleaseReader(deps.database, deps.cache.query('releases.latest'));
  const presenter = new ReleasePresenter(deps);
  const releaseStore = new ReleaseStore({ ...deps, presenter });
  return {
    deps,
    settings,
    reader,
    presenter,
    releaseStore,
    releases: new ReleaseService({ ...deps, reader, releaseStore, tags: new TagMaker(deps) }),
    notes: new ReleaseNotes({ ...deps, mergedPulls }),
    contract: createContract(reader, presenter, deps.attachments),
  };
}

function createContract(reader: ReleaseReader, presenter: ReleasePresenter, attachments: Attachments): Releases {
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
