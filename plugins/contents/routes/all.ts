import type { MemoryCache, Route } from '@mortise/plugin-sdk';
import { archiveRoutes } from './archives.js';
import { branchRoutes } from './branches.js';
import { contentsRoutes } from './contents.js';
import { editorConfigRoutes } from './editorconfig.js';
import { fileRoutes } from './files.js';
import { gitDataRoutes } from './git-data.js';
import { historyRoutes } from './history.js';
import type { ContentServices } from './shared.js';
import { tagRoutes } from './tags.js';

/** Every operation of this plugin, and the addresses of files and archives beside the pages. */
export const allRoutes = (services: ContentServices & { readonly answers: MemoryCache<unknown> }): Route[] => [
  ...contentsRoutes(services),
  ...historyRoutes(services),
  ...gitDataRoutes(services),
  ...branchRoutes(services),
  ...tagRoutes(services),
  ...fileRoutes(services),
  ...archiveRoutes(services),
  ...editorConfigRoutes(services),
];
