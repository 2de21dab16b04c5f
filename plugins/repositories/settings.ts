import { Joi, pageSizeSetting } from '@mortise/plugin-sdk';

export interface RepositorySettings {
  readonly DEFAULT_BRANCH: string;
  readonly DEFAULT_REPO_UNITS: string;
  readonly DISABLED_REPO_UNITS: string;
  readonly MAX_CREATION_LIMIT: number;
  readonly USER_MAX_CREATION_LIMIT: number;
  readonly ORG_MAX_CREATION_LIMIT: number;
  readonly FORCE_PRIVATE: boolean;
  readonly DEFAULT_PRIVATE: 'last' | 'private' | 'public';
  readonly DISABLE_DOWNLOAD_SOURCE_ARCHIVES: boolean;
  readonly GO_GET_CLONE_URL_PROTOCOL: 'https' | 'ssh';
}

export interface AvatarSettings {
  readonly REPOSITORY_AVATAR_FALLBACK: 'none' | 'random';
  readonly REPOSITORY_AVATAR_MAX_FILE_SIZE: number;
  readonly REPOSITORY_AVATAR_MAX_WIDTH: number;
  readonly REPOSITORY_AVATAR_MAX_HEIGHT: number;
}

/** `[picture]`, the part about repositories. */
export const avatarSettings = Joi.object<AvatarSettings>({
  REPOSITORY_AVATAR_FALLBACK: Joi.string()
    .valid('none', 'random')
    .default('none')
    .description('What a repository without a picture has: none, or one drawn from its number.')
    .meta({ compatible: [{ from: /^image$/i, to: 'none' }] }),
  REPOSITORY_AVATAR_MAX_FILE_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(1048576)
    .description('Largest picture of a repository, bytes.'),
  REPOSITORY_AVATAR_MAX_WIDTH: Joi.number()
    .integer()
    .min(1)
    .default(4096)
    .description('Widest picture of a repository, pixels.'),
  REPOSITORY_AVATAR_MAX_HEIGHT: Joi.number()
    .integer()
    .min(1)
    .default(4096)
    .description('Highest picture of a repository, pixels.'),
});

interface SitemapSettings {
  readonly ENABLE_SITEMAP: boolean;
}

/** `[other]`, the part about what search engines find. */
export const sitemapSettings = Joi.object<SitemapSettings>({
  ENABLE_SITEMAP: Joi.boolean().default(true).description('Serve /sitemap.xml, the public repositories.'),
});

interface SitemapPageSettings {
  readonly SITEMAP_PAGING_NUM: number;
}

/** `[ui]`, the part about it. */
export const sitemapPageSettings = Joi.object<SitemapPageSettings>({
  SITEMAP_PAGING_NUM: Joi.number()
    .integer()
    .min(1)
    .max(1000)
    .default(1000)
    .description('Addresses in one map of the site; compatible servers have 20.'),
});

const orders = {
  recentupdate: 'updated',
  leastupdate: 'oldest',
  newest: 'created',
  alphabetically: 'alpha',
  size: 'size',
  moststars: 'stars',
  mostforks: 'forks',
} as const;

interface SearchSettings {
  readonly EXPLORE_PAGING_DEFAULT_SORT: keyof typeof orders;
  readonly SEARCH_REPO_DESCRIPTION: boolean;
}

/** `[ui]`, the part about lists of repositories that can be searched. */
export const searchSettings = Joi.object<SearchSettings>({
  EXPLORE_PAGING_DEFAULT_SORT: Joi.string()
    .valid(...Object.keys(orders))
    .default('recentupdate')
    .description('Order of lists of repositories on pages until another is chosen.')
    .meta({ compatible: [{ from: /^[a-z]+$/i, to: 'recentupdate' }] }),
  SEARCH_REPO_DESCRIPTION: Joi.boolean()
    .default(true)
    .description('What is searched for on pages with lists of repositories is also looked for in descriptions.'),
});

/** What lists begin with, see `pages/search.tsx`. */
export const searchDefaults = (settings: SearchSettings) => ({
  sort: orders[settings.EXPLORE_PAGING_DEFAULT_SORT],
  includeDescription: settings.SEARCH_REPO_DESCRIPTION,
});

interface ListSettings {
  readonly REPO_PAGING_NUM: number;
}

/** `[ui.user]`: lists of repositories on profiles, and of those that one has oneself. */
export const userListSettings = Joi.object<ListSettings>({
  REPO_PAGING_NUM: pageSizeSetting(20).description(
    'Repositories on one page of a profile, and of one’s own; compatible servers have 15.',
  ),
});

/** `[ui.admin]` */
export const adminListSettings = Joi.object<ListSettings>({
  REPO_PAGING_NUM: pageSizeSetting(50).description('Repositories on one page of the administration.'),
});

const units = 'repo.code,repo.releases,repo.issues,repo.pulls,repo.wiki,repo.projects,repo.packages,repo.actions';

export const repositorySettings = Joi.object<RepositorySettings>({
  DEFAULT_BRANCH: Joi.string().default('main').description('Default branch of new repositories'),
  DEFAULT_REPO_UNITS: Joi.string().default(units).description('Units that a new repository has, separated by commas'),
  DISABLED_REPO_UNITS: Joi.string().allow('').default('').description('Units that no repository has'),
  MAX_CREATION_LIMIT: Joi.number()
    .integer()
    .default(-1)
    .description('Repositories that one account may own; -1: no limit'),
  USER_MAX_CREATION_LIMIT: Joi.number()
    .integer()
    .default(-1)
    .description('The same for users; -1: as MAX_CREATION_LIMIT says'),
  ORG_MAX_CREATION_LIMIT: Joi.number()
    .integer()
    .default(-1)
    .description('The same for organizations; -1: as MAX_CREATION_LIMIT says'),
  FORCE_PRIVATE: Joi.boolean().default(false).description('New repositories are private whatever was asked'),
  DEFAULT_PRIVATE: Joi.string()
    .valid('last', 'private', 'public')
    .default('last')
    .description('What the form for a new repository proposes'),
  DISABLE_DOWNLOAD_SOURCE_ARCHIVES: Joi.boolean()
    .default(false)
    .description('Pages have no archives of the source to download; the API has them in any case.'),
  GO_GET_CLONE_URL_PROTOCOL: Joi.string()
    .valid('https', 'ssh')
    .default('https')
    .description('How the go command is told to fetch modules: by the address of this site, or over SSH')
    .meta({ compatible: [{ from: /./, to: 'https' }] }),
});

/** `repo.code,repo.issues` → `code`, `issues`. */
export const unitSet = (text: string): Set<string> =>
  new Set(
    text
      .split(',')
      .map((word) => word.trim().replace(/^repo\./, ''))
      .filter(Boolean),
  );
