import type { VNode } from 'preact';
import {
  Invalid,
  Joi,
  NotFound,
  type Events,
  type MemoryCache,
  type PointReader,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import {
  isRefName,
  type GitReader,
  type GitRepository,
  type GitStore,
  type GitWriter,
  type RefUpdates,
} from '@mortise/git/api';
import {
  repositorySubject,
  type Repositories,
  type RepositoryAccess,
  type RepositoryContext,
} from '@mortise/repositories/api';
import type { ChangeService } from '../services/changes.js';
import type { Comparer } from '../services/comparison.js';
import type { CommitPresenter } from '../services/commits.js';
import type { DeletedBranches } from '../services/deleted-branches.js';
import type { ContentsReader } from '../services/reading.js';
import type { TagService } from '../services/tags.js';
import type { CommitVerification, FilePlace, MediaSource } from '../api.js';
import type { ArchiveService } from '../services/archives.js';
import type { BranchService } from '../services/branches.js';
import type { BranchRuleBook } from '../services/branch-rules.js';

export interface ContentServices {
  readonly accounts: Accounts;
  readonly git: GitReader;
  readonly store: GitStore;
  readonly writer: GitWriter;
  readonly refs: RefUpdates;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
  /** Answers that hold as long as the database is unchanged. */
  readonly fresh: MemoryCache<unknown>;
  readonly commits: CommitPresenter;
  readonly contents: ContentsReader;
  readonly changes: ChangeService;
  readonly branches: BranchService;
  readonly tags: TagService;
  readonly comparer: Comparer;
  readonly deleted: DeletedBranches;
  readonly events: Events;
  readonly verification: CommitVerification;
  readonly branchRules: BranchRuleBook;
  /** Marks beside commits, by object id. */
  marks(context: RepositoryContext, oids: readonly string[]): Promise<ReadonlyMap<string, readonly VNode[]>>;
  readonly archives: ArchiveService;
  readonly actions: PointReader<Slot<FilePlace>>;
  readonly media: PointReader<MediaSource>;
}

export const base = '/api/v1/repos/{owner}/{repo}';
export const tags = ['repository'];
export const readCode = { actor: 'anyone', scope: 'repository', subject: repositorySubject, unit: 'code' } as const;
/** The subject asks to sign in where that could help, so that a private repository shows nothing to nobody. */
export const writeCode = {
  actor: 'anyone',
  scope: 'repository',
  subject: repositorySubject,
  unit: 'code',
  mode: 'write',
} as const;
/**
 * What every change of a reference may answer besides: it has moved meanwhile, its name clashes or a file is locked; a
 * rule or a check refuses it; the repository is archived.
 */
export const changeAnswers = { 409: null, 422: null, 423: null } as const;
/** Where a reference may be named. */
export const refOption = () => Joi.string().allow('').description('Branch, tag or commit; absent: the default branch');
/** A switch in a query: also `1` and `0`; with nothing behind it the same as absent. */
export const flag = (otherwise: boolean) => Joi.boolean().empty('').truthy('1', 't').falsy('0', 'f').default(otherwise);
export const commitParts = {
  stat: flag(true).description('Count changed lines'),
  files: flag(true).description('List changed files'),
  verification: flag(true).description('Fill signature data'),
};

/** The commit that a word names: branch, tag, id or short id; 422 for what cannot be a name, 404 for what is not there. */
export async function commitOf(git: GitRepository, name: string): Promise<string> {
  if (!isRefName(name)) throw Invalid(`${name.slice(0, 100)} is no valid reference or id`);
  const found = await git.resolve(name);
  if (!found) throw NotFound(`reference ${name} does not exist`);
  return found.commit;
}
