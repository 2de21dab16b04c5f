import { defineService, type Cache, type Route } from '@mortise/plugin-sdk';
import type { RepositoryTab } from '@mortise/repositories/api';
import { repositoryScope } from '../services/project-scopes.js';
import { boardRoutes } from './board-routes.js';
import { cardPageRoutes } from './card-routes.js';
import { columnPageRoutes } from './column-routes.js';
import type { PageDeps } from './frame.js';
import { fieldPageRoutes } from './field-routes.js';
import { projectListRoutes } from './list-routes.js';
import { savedViewRoutes } from './saved-view-routes.js';
import { sidebarRoutes } from './sidebar.js';
import { t } from '../texts/index.js';

/** Not part of the contract. */
export const pageDeps = defineService<PageDeps>('projects.pageDeps');

export const projectPageRoutes = (deps: PageDeps): Route[] => [
  ...projectListRoutes(deps),
  ...boardRoutes(deps),
  ...columnPageRoutes(deps),
  ...cardPageRoutes(deps),
  ...fieldPageRoutes(deps),
  ...savedViewRoutes(deps),
  ...sidebarRoutes(deps),
];

/** Of a repository whose issues stand on boards of its own, with the number of open ones. */
export function repositoryTab({ services }: PageDeps, cache: Cache): RepositoryTab {
  const counts = cache.query<number>('projects.open-boards');
  return {
    key: 'projects',
    label: t.later('unit'),
    icon: 'project',
    order: 40,
    href: 'projects',
    visible: ({ context }) => repositoryScope(context).may('read'),
    counted: ({ repository, owner }) =>
      counts.load(String(repository.id), async () => (await services.reader.counts({ repository, owner })).open),
  };
}
