import { BaseModel } from '@mortise/plugin-sdk';
import type { Account, Visibility } from '../api.js';
import type { AccountKind } from '../contract/account.js';

/** One row of `user`: a person or an organization. */
export class AccountRow extends BaseModel {
  static override tableName = 'user';
  static override booleans = [
    'keep_email_private',
    'hide_activity',
    'is_admin',
    'is_active',
    'is_restricted',
    'prohibit_login',
    'must_change_password',
    'allow_create_organization',
    'allow_git_hook',
    'allow_import_local',
  ];

  declare id: number;
  declare kind: AccountKind;
  declare name: string;
  declare lower_name: string;
  declare full_name: string;
  declare email: string;
  declare password_hash: string;
  declare keep_email_private: boolean;
  declare description: string;
  declare location: string;
  declare website: string;
  declare language: string;
  declare theme: string;
  declare diff_view_style: string;
  declare hide_activity: boolean;
  declare visibility: Visibility;
  declare is_admin: boolean;
  declare is_active: boolean;
  declare is_restricted: boolean;
  declare prohibit_login: boolean;
  declare must_change_password: boolean;
  declare allow_create_organization: boolean;
  declare allow_git_hook: boolean;
  declare allow_import_local: boolean;
  declare max_repo_creation: number;
  declare source_id: number;
  declare login_name: string;
  declare avatar: string;
  declare follower_count: number;
  declare following_count: number;
  declare starred_count: number;
  declare public_starred_count: number;
  declare created_at: number;
  declare updated_at: number;
  declare last_login_at: number;
}

/** The row as the contract shows it: without the password hash. */
export function toAccount(row: AccountRow): Account {
  return Object.freeze({
    id: row.id,
    kind: row.kind,
    name: row.name,
    lowerName: row.lower_name,
    fullName: row.full_name,
    email: row.email,
    keepEmailPrivate: row.keep_email_private,
    description: row.description,
    location: row.location,
    website: row.website,
    language: row.language,
    theme: row.theme,
    diffViewStyle: row.diff_view_style,
    hideActivity: row.hide_activity,
    visibility: row.visibility,
    isAdmin: row.is_admin,
    isActive: row.is_active,
    isRestricted: row.is_restricted,
    prohibitLogin: row.prohibit_login,
    mustChangePassword: row.must_change_password,
    allowCreateOrganization: row.allow_create_organization,
    allowGitHook: row.allow_git_hook,
    allowImportLocal: row.allow_import_local,
    maxRepoCreation: row.max_repo_creation,
    sourceId: row.source_id,
    loginName: row.login_name,
    hasPassword: row.password_hash !== '',
    avatar: row.avatar,
    followerCount: row.follower_count,
    followingCount: row.following_count,
    starredCount: row.starred_count,
    publicStarredCount: row.public_starred_count,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    lastLoginAt: Number(row.last_login_at),
  });
}

/** Columns of the fields that {@link AccountChanges} may set directly. */
export const changeColumns = {
  fullName: 'full_name',
  keepEmailPrivate: 'keep_email_private',
  description: 'description',
  location: 'location',
  website: 'website',
  language: 'language',
  theme: 'theme',
  diffViewStyle: 'diff_view_style',
  hideActivity: 'hide_activity',
  visibility: 'visibility',
  isAdmin: 'is_admin',
  isActive: 'is_active',
  isRestricted: 'is_restricted',
  prohibitLogin: 'prohibit_login',
  mustChangePassword: 'must_change_password',
  allowCreateOrganization: 'allow_create_organization',
  allowGitHook: 'allow_git_hook',
  allowImportLocal: 'allow_import_local',
  maxRepoCreation: 'max_repo_creation',
  sourceId: 'source_id',
  loginName: 'login_name',
  lastLoginAt: 'last_login_at',
} as const;
