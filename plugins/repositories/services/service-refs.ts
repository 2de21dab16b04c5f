import { defineService } from '@mortise/plugin-sdk';
import type { Layout } from '../pages/layout.js';
import type { AccessService } from './access.js';
import type { RepositoryAvatars } from './avatars.js';
import type { DeployKeyService } from './deploy-keys.js';
import type { RepositoryFinder } from './repository-finder.js';
import type { Grants } from './grants.js';
import type { HeaderService } from './header-service.js';
import type { LicenseDetector } from './licenses.js';
import type { MemberService } from './member-service.js';
import type { RepositoryPresenter } from './repository-presenter.js';
import type { RepositoryService } from './repositories.js';
import type { TopicService } from './topics.js';
import type { TransferService } from './transfers.js';
import type { PendingTransfers } from './waiting-transfers.js';

// Services of this plugin alone, with more than their contracts say; not part of the contract.
export const finder = defineService<RepositoryFinder>('repositories.finder');
export const grants = defineService<Grants>('repositories.grants');
export const waitingTransfers = defineService<PendingTransfers>('repositories.waitingTransfers');
export const access = defineService<AccessService>('repositories.accessService');
export const presenter = defineService<RepositoryPresenter>('repositories.presenter');
export const repositoryService = defineService<RepositoryService>('repositories.service');
export const members = defineService<MemberService>('repositories.memberService');
export const topics = defineService<TopicService>('repositories.topics');
export const header = defineService<HeaderService>('repositories.header');
export const transfers = defineService<TransferService>('repositories.transfers');
export const deployKeyService = defineService<DeployKeyService>('repositories.deployKeyService');
export const avatars = defineService<RepositoryAvatars>('repositories.avatars');
export const licenses = defineService<LicenseDetector>('repositories.licenses');
export const layout = defineService<Layout>('repositories.layout');

export const ownServices = [
  finder,
  grants,
  waitingTransfers,
  access,
  presenter,
  repositoryService,
  members,
  topics,
  header,
  transfers,
  deployKeyService,
  avatars,
  licenses,
  layout,
] as const;
