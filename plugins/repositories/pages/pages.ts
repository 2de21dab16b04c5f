import type { Route } from '@mortise/plugin-sdk';
import { actionRoutes } from './actions.js';
import { collaboratorPageRoutes } from './collaborators.js';
import { createPageRoutes } from './create.js';
import { deployKeyPageRoutes } from './deploy-keys.js';
import { explorePageRoutes } from './explore.js';
import { ownPageRoutes } from './mine.js';
import { settingsPageRoutes } from './settings.js';
import { settingsSearchRoutes } from './settings-search.js';
import type { PageDeps } from './page-deps.js';

/** All pages of this plugin. */
export const repositoryPageRoutes = (services: PageDeps): Route[] => [
  ...createPageRoutes(services),
  ...explorePageRoutes(services),
  ...ownPageRoutes(services),
  ...actionRoutes(services),
  ...settingsPageRoutes(services),
  ...settingsSearchRoutes(services),
  ...collaboratorPageRoutes(services),
  ...deployKeyPageRoutes(services),
];
