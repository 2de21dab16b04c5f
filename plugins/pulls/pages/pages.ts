import { defineService, type Cache, type Route } from '@mortise/plugin-sdk';
import type { GitReader, GitWriter, GitStore, RefUpdates } from '@mortise/git/api';
import type { PullPages } from '../api.js';
import { BranchRestorer } from '../services/branch-restorer.js';
import { changePages, filesPage } from './changes.js';
import { conflictPages } from './conflicts.js';
import { conversationPage, pullPage } from './frame.js';
import { newPullRoutes } from './new-pull.js';
import { pullPageRoutes } from './pull-routes.js';
import { pathOf, type PageDeps } from './page-context.js';

/** What pages of this plugin work with; not part of the contract. */
export const pageDeps = defineService<PageDeps>('pulls.pageDeps');

type Points = Pick<
  PageDeps,
  'mergeBox' | 'diffExtensions' | 'counters' | 'newFields' | 'requirements' | 'statuses' | 'protections'
>;
interface GitDeps {
  readonly store: GitStore;
  readonly gitReader: GitReader;
  readonly gitWriter: GitWriter;
  readonly refUpdates: RefUpdates;
  readonly cache: Cache;
}

/** No reference keeps them: git may tidy them up after days. */
const treeCacheMs = 3_600_000;

export const createPageDeps = (
  services: Omit<PageDeps, keyof Points | 'restorer' | 'git' | 'writer' | 'versionTrees'> & GitDeps,
  points: Points,
): PageDeps => ({
  ...services,
  ...points,
  git: services.gitReader,
  writer: services.gitWriter,
  versionTrees: services.cache.memory<string>('pulls.versionTrees', { ttl: treeCacheMs }),
  restorer: new BranchRestorer(services),
});

/** What other plugins get. */
export const createPullPages = (deps: PageDeps): PullPages => ({
  page: (context, tab, options) => pullPage(deps, context, tab, options),
  conversation: (context, flash) => conversationPage(deps, context, flash),
  files: (context, flash) => filesPage(deps, context, flash),
  path: ({ repository, pull }) => pathOf(deps, repository, pull.index),
});

export const pullPages = (deps: PageDeps): Route[] => [
  ...pullPageRoutes(deps),
  ...changePages(deps),
  ...conflictPages(deps),
  ...newPullRoutes(deps),
];
