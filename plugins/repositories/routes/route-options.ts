import { Joi, type Database, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import { repositoryApi, repositoryListSchema, repositoryTags, userListSchema, optionalText } from '../api.js';
import type { AccessService } from '../services/access.js';
import type { RepositoryAvatars } from '../services/avatars.js';
import type { DeployKeyService } from '../services/deploy-keys.js';
import type { HeaderService } from '../services/header-service.js';
import type { LicenseDetector } from '../services/licenses.js';
import type { MemberService } from '../services/member-service.js';
import type { RepositoryPresenter } from '../services/repository-presenter.js';
import type { RepositoryService } from '../services/repositories.js';
import type { TopicService } from '../services/topics.js';
import type { TransferService } from '../services/transfers.js';
import type { RepositorySettings } from '../settings.js';

/** What the routes of this plugin work with; each says which of them it needs. */
export interface RouteServices {
  readonly accounts: Accounts;
  readonly git: GitReader;
  readonly database: Database;
  readonly site: Site;
  readonly repositories: RepositoryService;
  readonly access: AccessService;
  readonly members: MemberService;
  readonly topics: TopicService;
  readonly presenter: RepositoryPresenter;
  readonly header: HeaderService;
  readonly transfers: TransferService;
  readonly deployKeys: DeployKeyService;
  readonly avatars: RepositoryAvatars;
  readonly licenses: LicenseDetector;
  readonly settings: RepositorySettings;
}

export const api = '/api/v1';
export const repositoryPath = repositoryApi;
export const repositoryList = repositoryListSchema;
export const tag = repositoryTags;
export const optionalWords = optionalText;
export const users = userListSchema;
/** For the documents: lists in an object are paged too. The kernel reads the values, whatever they are (GEN-07). */
const count = () => Joi.number().integer().unsafe().empty(Joi.any());
export const paging = {
  page: count().description('Number of the page, from 1'),
  limit: count().description('Entries per page'),
};
