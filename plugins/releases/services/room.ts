import {
  defineService,
  type Cache,
  type Database,
  type Events,
  type Jobs,
  type Locks,
  type Logger,
  type Site,
  type Storage,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader, GitWriter, RefUpdates } from '@mortise/git/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { Releases } from '../api.js';
import type { ReleaseSettings } from '../settings.js';
import { ReleaseFiles } from './access.js';
import { AssetService } from './assets.js';
import { DownloadCounter } from './downloads.js';
import { ReleaseLedger } from './ledger.js';
import { ReleasePresenter } from './present.js';
import { ReleaseReader } from './reader.js';
import { ReleaseService } from './releases.js';
import { TagMaker } from './tags.js';

export interface RoomParts {
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly locks: Locks;
  readonly cache: Cache;
  readonly storage: Storage;
  readonly site: Site;
  readonly accounts: Accounts;
  readonly git: GitReader;
  readonly writer: GitWriter;
  readonly refs: RefUpdates;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
}

/** Everything of this plugin, built once; not part of the contract. */
export interface Room {
  readonly parts: RoomParts;
  readonly settings: ReleaseSettings;
  readonly reader: ReleaseReader;
  readonly presenter: ReleasePresenter;
  readonly ledger: ReleaseLedger;
  readonly releases: ReleaseService;
  readonly assets: AssetService;
  readonly files: ReleaseFiles;
  readonly counter: DownloadCounter;
  /** What other plugins get. */
  readonly shared: Releases;
}
export const room = defineService<Room>('releases.room');

export function makeRoom(parts: RoomParts, settings: ReleaseSettings, log: Logger): Room {
  const reader = new ReleaseReader(parts.database, parts.cache.fresh('releases.latest', { max: 2000 }));
  const presenter = new ReleasePresenter({ ...parts, reader });
  const ledger = new ReleaseLedger({ ...parts, presenter });
  const area = parts.storage.area('attachments');
  const counter = new DownloadCounter(parts.database, log);
  const megabytes = settings.FILE_MAX_SIZE;
  return {
    parts,
    settings,
    reader,
    presenter,
    ledger,
    counter,
    releases: new ReleaseService({ ...parts, reader, ledger, tags: new TagMaker(parts) }),
    assets: new AssetService({
      ...parts,
      area,
      ledger,
      allowedTypes: settings.ALLOWED_TYPES,
      maxBytes: megabytes > 0 ? Math.floor(megabytes * 1048576) : undefined,
    }),
    files: new ReleaseFiles({ ...parts, reader, area, counter }),
    shared: shared(reader, presenter),
  };
}

function shared(reader: ReleaseReader, presenter: ReleasePresenter): Releases {
  return {
    byId: (id) => reader.byId(id),
    byTag: (repositoryId, tagName) => reader.byTag(repositoryId, tagName),
    latest: (repositoryId) => reader.latest(repositoryId),
    list: (search) => reader.list(search),
    assets: (releaseIds) => reader.assets(releaseIds),
    toApi: (repository, list) => presenter.toApi(repository, list),
    htmlUrl: (repository, release) => presenter.htmlUrl(repository, release),
  };
}
