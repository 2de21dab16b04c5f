import {
  type Cache,
  type Database,
  type Events,
  type Locks,
  type PointReader,
  type Site,
  type Slot,
  type Storage,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader, GitStore, GitWriter, RefUpdates } from '@mortise/git/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { BranchRules, CommitMark, CommitSigner, CommitVerification, FilePlace, MediaSource } from '../api.js';
import type { ContentServices } from '../routes/shared.js';
import { ArchiveService } from './archives.js';
import { BranchRuleBook } from './branch-rules.js';
import { BranchService } from './branches.js';
import { ChangeService } from './changes.js';
import { CommitPresenter } from './commits.js';
import { Comparer } from './comparison.js';
import { DeletedBranches } from './deleted-branches.js';
import { marksOf } from './marks.js';
import { ContentsReader } from './reading.js';
import { TagService } from './tags.js';

export interface RoomServices {
  readonly accounts: Accounts;
  readonly database: Database;
  readonly locks: Locks;
  readonly storage: Storage;
  readonly events: Events;
  readonly verification: CommitVerification;
  readonly git: GitReader;
  readonly store: GitStore;
  readonly writer: GitWriter;
  readonly refs: RefUpdates;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
  readonly cache: Cache;
}

export interface RoomPoints {
  readonly signers: PointReader<CommitSigner>;
  readonly rules: PointReader<BranchRules>;
  readonly marks: PointReader<CommitMark>;
  readonly actions: PointReader<Slot<FilePlace>>;
  readonly media: PointReader<MediaSource>;
}

/** Everything that routes and pages of this plugin work with, built once. */
export function makeRoom(services: RoomServices, points: RoomPoints): ContentServices {
  const { cache } = services;
  const fresh = cache.fresh<unknown>('contents.fresh', { max: 1000 });
  const commits = new CommitPresenter(services);
  const changes = new ChangeService({ ...services, signers: points.signers });
  const branchRules = new BranchRuleBook(points.rules);
  const deleted = new DeletedBranches(services);
  return {
    ...services,
    fresh,
    commits,
    changes,
    branchRules,
    deleted,
    branches: new BranchService({ ...services, commits, changes, branchRules, deleted, fresh }),
    comparer: new Comparer(services),
    tags: new TagService({ ...services, changes }),
    contents: new ContentsReader({
      ...services,
      answers: cache.memory<unknown>('contents.answers', { maxSize: 16 << 20 }),
    }),
    archives: new ArchiveService({ ...services, area: services.storage.area('repo-archive') }),
    marks: (context, oids) => marksOf(points.marks, context, oids),
    actions: points.actions,
    media: points.media,
  };
}
