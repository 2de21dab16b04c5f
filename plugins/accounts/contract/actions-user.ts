import { anonymous, type Actor } from '@mortise/plugin-sdk';
import type { Account } from './account.js';

/** Id of the account that jobs of Actions act as. It has no row of its own. */
export const actionsUserId = -2;

/** The account that jobs of Actions act as: found by its id alone, since nobody can sign in or be chosen as it. */
export const actionsUser: Account = Object.freeze({
  id: actionsUserId,
  kind: 'user',
  name: 'gitea-actions',
  lowerName: 'gitea-actions',
  fullName: 'Mortise Actions',
  email: '',
  keepEmailPrivate: true,
  description: '',
  location: '',
  website: '',
  language: '',
  theme: '',
  diffViewStyle: '',
  hideActivity: true,
  visibility: 'public',
  isAdmin: false,
  isActive: true,
  isRestricted: true,
  prohibitLogin: true,
  mustChangePassword: false,
  allowCreateOrganization: false,
  allowGitHook: false,
  allowImportLocal: false,
  maxRepoCreation: 0,
  sourceId: 0,
  loginName: '',
  hasPassword: false,
  avatar: 'ghost',
  followerCount: 0,
  followingCount: 0,
  starredCount: 0,
  publicStarredCount: 0,
  createdAt: 0,
  updatedAt: 0,
  lastLoginAt: 0,
});

/** Work that Actions does by itself, such as schedules and commit statuses: in its name, as the site sees things. */
export const actionsActor: Actor = Object.freeze({
  ...anonymous,
  kind: 'system',
  id: actionsUserId,
  name: actionsUser.name,
});
