import type { Site } from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import type { AdminPage } from '@mortise/admin/api';
import { administerOrganization, type OrganizationContext, type OrganizationPages } from '@mortise/organizations/api';
import {
  administerPage,
  repositoryHome,
  repositoryPageContext,
  type RepositoryContext,
  type RepositoryPages,
} from '@mortise/repositories/api';
import { ownerScope, repositoryScope, siteScope } from '../../contract/scopes.js';
import { settingsPages, type SettingsLevel } from './level.js';

export const repositorySettings = (pages: RepositoryPages, site: Site): SettingsLevel<RepositoryContext> => ({
  key: 'repository',
  path: '/{owner}/{repo}/settings/actions',
  access: administerPage,
  pages: ['general', 'runners', 'environments', 'secrets', 'variables'],
  scopeOf: ({ resource }) => repositoryScope(resource.repository.id),
  placeOf: ({ resource }) => resource.repository,
  base: ({ resource }) => `${repositoryHome(site, resource.repository)}/settings/actions`,
  frame: (context, options) => pages.settingsPage(repositoryPageContext(context), 'actions', options),
});

export const userSettings = (page: SettingsPage, site: Site): SettingsLevel<undefined> => ({
  key: 'user',
  path: '/user/settings/actions',
  access: { actor: 'user' },
  pages: settingsPages,
  scopeOf: ({ actor }) => ownerScope(actor.id),
  placeOf: ({ actor }) => ({ id: 0, ownerId: actor.id }),
  base: () => site.path('/user/settings/actions'),
  frame: ({ actor }, options) => page({ active: 'actions', actor, ...options }),
});

export const organizationSettings = (pages: OrganizationPages, site: Site): SettingsLevel<OrganizationContext> => ({
  key: 'organization',
  path: '/org/{org}/settings/actions',
  access: administerOrganization,
  pages: settingsPages,
  scopeOf: ({ resource }) => ownerScope(resource.account.id),
  placeOf: ({ resource }) => ({ id: 0, ownerId: resource.account.id }),
  base: ({ resource }) => site.path(`/org/${resource.account.name}/settings/actions`),
  frame: ({ resource, actor }, options) => pages.settingsPage({ resource, actor }, 'actions', options),
});

export const siteSettings = (page: AdminPage, site: Site): SettingsLevel<undefined> => ({
  key: 'site',
  path: '/-/admin/actions',
  access: { actor: 'admin' },
  pages: ['runners', 'runs', 'variables', 'scoped-workflows'],
  scopeOf: () => siteScope,
  placeOf: () => ({ id: 0, ownerId: 0 }),
  base: () => site.path('/-/admin/actions'),
  frame: ({ actor }, options) => page({ active: 'actions', actor, ...options }),
});
