import { Joi } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { repositorySchema } from '../api.js';
import type { AccessService } from '../services/access.js';
import type { PeopleService } from '../services/people.js';
import type { RepositoryPresenter } from '../services/present.js';
import type { RepositoryService } from '../services/repositories.js';
import type { TopicService } from '../services/topics.js';
import type { TransferService } from '../services/transfers.js';
import type { DeployKeyService } from '../services/deploy-keys.js';
import type { ForkService } from '../services/forks.js';
import type { Database, Site } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { RepositorySettings } from '../settings.js';

/** What the routes of this plugin work with. */
export interface RouteServices {
  readonly accounts: Accounts;
  readonly repositories: RepositoryService;
  readonly access: AccessService;
  readonly people: PeopleService;
  readonly topics: TopicService;
  readonly forks: ForkService;
  readonly transfers: TransferService;
  readonly deployKeys: DeployKeyService;
  readonly presenter: RepositoryPresenter;
  readonly git: GitReader;
  readonly database: Database;
  readonly site: Site;
  readonly settings: RepositorySettings;
}

export const api = '/api/v1';
export const repositoryPath = `${api}/repos/{owner}/{repo}`;
export const repositoryList = Joi.array().items(repositorySchema).label('RepositoryList');
export const tag = ['repository'];
/** Text that a client may leave out or send as null. */
export const words = (most: number) => Joi.string().allow('', null).max(most);
