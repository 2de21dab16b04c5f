import { Joi, type Route, type Site } from '@mortise/plugin-sdk';
import type { AdminPage } from '@mortise/admin/api';
import type { SettingsPage } from '@mortise/accounts/api';
import { administerOrganization, type OrganizationContext, type OrganizationPages } from '@mortise/organizations/api';
import { repositoryResource, type RepositoryContext, type RepositoryPages } from '@mortise/repositories/api';
import { sendTestDelivery } from '../routes/hooks.js';
import type { ActivityListener } from '../events/activity-listener.js';
import { t } from '../texts/index.js';
import { deliveriesPage, redeliverRange, testHook, wakeHook } from './deliveries.js';
import { deliveryPage, redeliver } from './delivery.js';
import { createHook, deleteHook, editHook, hookPage, newHookPage } from './hook.js';
import { hookListPage } from './hook-list.js';
import { LevelPages, type HookPageDeps, type PageLevel } from './level-pages.js';

interface LevelDeps extends HookPageDeps {
  readonly listener: ActivityListener;
  readonly repositoryPages: RepositoryPages;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

/** List, form and history of one level's webhooks. */
function hookPages<S>(deps: HookPageDeps, level: PageLevel<S>): readonly Route[] {
  const pages = new LevelPages(deps, level);
  return [
    hookListPage(pages),
    newHookPage(pages),
    createHook(pages),
    hookPage(pages),
    editHook(pages),
    deleteHook(pages),
    deliveriesPage(pages),
    ...testHook(pages),
    wakeHook(pages),
    redeliverRange(pages),
    deliveryPage(pages),
    redeliver(pages),
  ];
}

/** Webhooks among the settings of a repository and of the signed-in account. */
export const levelPages = (deps: LevelDeps): readonly Route[] => [
  ...hookPages<RepositoryContext>(deps, {
    path: '/{owner}/{repo}/settings/hooks',
    params: { owner: Joi.string().required(), repo: Joi.string().required() },
    access: { actor: 'user', resource: repositoryResource, mode: 'admin' },
    hookOwner: ({ resource }) => ({ ownerKind: 'repository', ownerId: resource.repository.id }),
    base: ({ resource: { repository } }) =>
      deps.site.path(`/${repository.ownerName}/${repository.name}/settings/hooks`),
    frame: ({ resource, actor }, options) =>
      deps.repositoryPages.settingsPage({ context: resource, actor }, 'hooks', options),
    testDelivery: ({ resource, actor }, hook) => sendTestDelivery(deps, resource, hook, '', actor.id),
    sample: ({ resource: { repository }, actor }) => deps.listener.sample({ repository, ref: '', actorId: actor.id }),
  }),
  ...hookPages<undefined>(deps, {
    path: '/user/settings/hooks',
    params: {},
    access: { actor: 'user' },
    hookOwner: ({ actor }) => ({ ownerKind: 'user', ownerId: actor.id }),
    base: () => deps.site.path('/user/settings/hooks'),
    frame: ({ actor }, options) => deps.settingsPage({ active: 'hooks', actor, ...options }),
  }),
];

/** Webhooks among the settings of an organization. */
export const organizationLevelPages = (
  deps: HookPageDeps & { readonly organizationPages: OrganizationPages; readonly site: Site },
): readonly Route[] =>
  hookPages<OrganizationContext>(deps, {
    path: '/org/{org}/settings/hooks',
    params: { org: Joi.string().required() },
    access: administerOrganization,
    hookOwner: ({ resource }) => ({ ownerKind: 'organization', ownerId: resource.account.id }),
    base: ({ resource }) => deps.site.path(`/org/${resource.account.name}/settings/hooks`),
    frame: ({ resource, actor }, options) => deps.organizationPages.settingsPage({ resource, actor }, 'hooks', options),
  });

/** System webhooks hear of every repository; default webhooks are copied into each new one. */
export const adminLevelPages = (
  deps: HookPageDeps & { readonly adminPage: AdminPage; readonly site: Site },
): readonly Route[] =>
  (['system', 'default'] as const).flatMap((ownerKind) =>
    hookPages<undefined>(deps, {
      path: `/-/admin/hooks/${ownerKind}`,
      params: {},
      access: { actor: 'admin' },
      hookOwner: () => ({ ownerKind, ownerId: 0 }),
      base: () => deps.site.path(`/-/admin/hooks/${ownerKind}`),
      frame: ({ actor }, options) => deps.adminPage({ active: 'hooks', actor, ...options }),
      note: t.later(`list.note.${ownerKind}`),
      tabs: {
        active: ownerKind,
        entries: (['system', 'default'] as const).map((key) => ({
          key,
          label: t.later(`list.${key}`),
          href: deps.site.path(`/-/admin/hooks/${key}`),
        })),
      },
    }),
  );
