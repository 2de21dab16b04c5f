import type { Route } from '@mortise/plugin-sdk';
import { archiveRoutes } from './archives.js';
import { branchRoutes } from './branches.js';
import { contentsRoutes } from './contents.js';
import { editorConfigRoutes } from './editorconfig.js';
import { fileRoutes } from './files.js';
import { gitDataRoutes } from './git-data.js';
import { historyRoutes, type HistoryServices } from './history.js';
import { tagRoutes } from './tags.js';

/** A rest of the path that is empty is an empty text, not nothing: no handler takes it for a name. */
const withRest = (route: Route): Route => {
  const rest = /\{(\w+)\*\}$/.exec(route.path)?.[1];
  if (!rest) return route;
  return {
    ...route,
    handler(context) {
      context.params[rest] ??= '';
      return route.handler(context);
    },
  };
};

/** Every operation of this plugin, and the addresses of files and archives beside the pages. */
export const allRoutes = (services: HistoryServices): Route[] =>
  [
    ...contentsRoutes(services),
    ...historyRoutes(services),
    ...gitDataRoutes(services),
    ...branchRoutes(services),
    ...tagRoutes(services),
    ...fileRoutes(services),
    ...archiveRoutes(services),
    ...editorConfigRoutes(services),
  ].map(withRest);
