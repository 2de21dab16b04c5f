import { defineService, type Cache, type Route } from '@mortise/plugin-sdk';
import type { GitReader, GitWriter, GitStore, RefUpdates } from '@mortise/git/api';
import type { PullPages } from '../api.js';
import { BranchRestorer } from '../services/restore-branch.js';
import { changePages, filesPage } from './changes.js';
import { conflictPages } from './conflicts.js';
import { conversationPage, pullPage } from './frame.js';
import { newPullRoutes } from './new-pull.js';
import { pullPageRoutes } from './pull-routes.js';
import { pathOf, type PageParts } from './shared.js';

/** What pages of this plugin work with; not part of the contract. */
export const pageParts = defineService<PageParts>('pulls.pageParts');

type Points = Pick<
  PageParts,
  'mergeBox' | 'diffParts' | 'counters' | 'newFields' | 'requirements' | 'statuses' | 'protections'
>;
interface GitParts {
  readonly store: GitStore;
  readonly gitReader: GitReader;
  readonly gitWriter: GitWriter;
  readonly refUpdates: RefUpdates;
  readonly cache: Cache;
}

/** No reference keeps them: git may tidy them up after days. */
const treesKeptFor = 3_600_000;

export const makePageParts = (
  services: Omit<PageParts, keyof Points | 'restorer' | 'git' | 'writer' | 'versionTrees'> & GitParts,
  points: Points,
): PageParts => ({
  ...services,
  ...points,
  git: services.gitReader,
  writer: services.gitWriter,
  versionTrees: services.cache.memory<string>('pulls.versionTrees', { max: 2000, ttl: treesKeptFor }),
  restorer: new BranchRestorer(services),
});

/** What other plugins get. */
export const pagesOf = (parts: PageParts): PullPages => ({
  page: (context, tab, options) => pullPage(parts, context, tab, options),
  conversation: (context, flash) => conversationPage(parts, context, flash),
  files: (context, flash) => filesPage(parts, context, flash),
  path: ({ repository, pull }) => pathOf(parts, repository, pull.index),
});

export const pageRoutes = (parts: PageParts): Route[] => [
  ...pullPageRoutes(parts),
  ...changePages(parts),
  ...conflictPages(parts),
  ...newPullRoutes(parts),
];
