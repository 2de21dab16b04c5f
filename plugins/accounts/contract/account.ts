import { Joi } from '@mortise/plugin-sdk';

export type Visibility = 'public' | 'limited' | 'private';

/** `user` is a person, `organization` an owner without a password; both share one namespace of names. */
export type AccountKind = 'user' | 'organization';

/** One row of `user`. Times are milliseconds since 1970 UTC. */
export interface Account {
  readonly id: number;
  readonly kind: AccountKind;
  readonly name: string;
  readonly lowerName: string;
  readonly fullName: string;
  /** Primary address. */
  readonly email: string;
  readonly keepEmailPrivate: boolean;
  readonly description: string;
  readonly location: string;
  readonly website: string;
  readonly language: string;
  readonly theme: string;
  readonly diffViewStyle: string;
  readonly hideActivity: boolean;
  readonly visibility: Visibility;
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly isRestricted: boolean;
  readonly prohibitLogin: boolean;
  readonly mustChangePassword: boolean;
  readonly allowCreateOrganization: boolean;
  readonly allowGitHook: boolean;
  readonly allowImportLocal: boolean;
  /** -1: the site's default; 0: none. */
  readonly maxRepoCreation: number;
  /** 0: local password. */
  readonly sourceId: number;
  readonly loginName: string;
  /** Has a local password. */
  readonly hasPassword: boolean;
  /** Key of `/avatars/{avatar}`. */
  readonly avatar: string;
  readonly followerCount: number;
  readonly followingCount: number;
  /** For the account itself and administrators. */
  readonly starredCount: number;
  /** Of those that everybody may see; what others are shown. */
  readonly publicStarredCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 0: never. */
  readonly lastLoginAt: number;
}

/** Model `User` of the REST surface. */
export interface ApiUser {
  id: number;
  login: string;
  login_name: string;
  source_id: number;
  full_name: string;
  email: string;
  avatar_url: string;
  html_url: string;
  language: string;
  is_admin: boolean;
  last_login: string;
  created: string;
  restricted: boolean;
  active: boolean;
  prohibit_login: boolean;
  location: string;
  website: string;
  description: string;
  visibility: Visibility;
  followers_count: number;
  following_count: number;
  starred_repos_count: number;
  /** The compatible service repeats `login` under this older name. */
  username: string;
}

export const userSchema = Joi.object<ApiUser>({
  id: Joi.number().integer().required(),
  login: Joi.string().required(),
  login_name: Joi.string().allow('').required(),
  source_id: Joi.number().integer().required(),
  full_name: Joi.string().allow('').required(),
  email: Joi.string().allow('').required(),
  avatar_url: Joi.string().allow('').required(),
  html_url: Joi.string().allow('').required(),
  language: Joi.string().allow('').required(),
  is_admin: Joi.boolean().required(),
  last_login: Joi.string().isoDate().required(),
  created: Joi.string().isoDate().required(),
  restricted: Joi.boolean().required(),
  active: Joi.boolean().required(),
  prohibit_login: Joi.boolean().required(),
  location: Joi.string().allow('').required(),
  website: Joi.string().allow('').required(),
  description: Joi.string().allow('').required(),
  visibility: Joi.string().valid('public', 'limited', 'private').required(),
  followers_count: Joi.number().integer().required(),
  following_count: Joi.number().integer().required(),
  starred_repos_count: Joi.number().integer().required(),
  username: Joi.string().required(),
}).label('User');
