import { Joi, NotFound, type MemoryCache, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import {
  isRefName,
  type GitReader,
  type GitRepository,
  type GitStore,
  type GitWriter,
  type RefUpdates,
} from '@mortise/git/api';
import { repositorySubject, type Repositories, type RepositoryAccess } from '@mortise/repositories/api';
import type { ChangeService } from '../services/changes.js';
import type { CommitPresenter } from '../services/commits.js';
import type { ContentsReader } from '../services/reading.js';
import { Invalid } from '@mortise/plugin-sdk';

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
export const object = (label: string) => Joi.object().unknown().label(label);
export const list = (label: string) => Joi.array().items(Joi.object().unknown().label(label)).label(`${label}List`);
export const commitParts = {
  stat: Joi.boolean().default(true).description('Count changed lines'),
  files: Joi.boolean().default(true).description('List changed files'),
  verification: Joi.boolean().default(true).description('Fill signature data'),
};

/** The commit that a word names: branch, tag, id or short id; 422 for what cannot be a name, 404 for what is not there. */
export async function commitOf(git: GitRepository, name: string): Promise<string> {
  if (!isRefName(name)) throw Invalid(`${name.slice(0, 100)} is no valid reference or id`);
  const found = await git.resolve(name);
  if (!found) throw NotFound(`reference ${name} does not exist`);
  return found.commit;
}
