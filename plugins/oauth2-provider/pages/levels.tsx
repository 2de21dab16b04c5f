import { Joi, postRoute, reply, type Route, type Site } from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import type { AdminPage } from '@mortise/admin/api';
import type { TokenScopes } from '@mortise/auth-token/api';
import { administerOrganization, type OrganizationContext, type OrganizationPages } from '@mortise/organizations/api';
import type { OAuth2Applications } from '../contract/oauth2-provider.js';
import { GrantedList } from './granted.js';
import type { Grants } from '../services/grants.js';
import { t } from '../texts/index.js';
import { applicationPages } from './applications.js';

interface Services {
  readonly oauth2Applications: OAuth2Applications;
  readonly site: Site;
}

interface SettingsServices extends Services {
  readonly grants: Grants;
  readonly settingsPage: SettingsPage;
  readonly tokenScopes: TokenScopes;
}

/** Applications that act for the account, and those that it has registered. */
export function settingsRoutes(services: SettingsServices): readonly Route[] {
  const { oauth2Applications, grants, settingsPage, site, tokenScopes } = services;
  const path = '/user/settings/oauth2';
  const access = { actor: 'user' } as const;
  return [
    ...applicationPages<undefined>(oauth2Applications, {
      path,
      params: {},
      access,
      ownerId: ({ actor }) => actor.id,
      base: () => site.path(path),
      frame: ({ actor }, options) => settingsPage({ active: 'oauth2', actor, ...options }),
      note: t.later('own.note'),
      above: async ({ actor }) => (
        <GrantedList
          granted={await grants.ofUser(actor.id)}
          categories={tokenScopes.categories}
          action={site.path(`${path}/revoke`)}
        />
      ),
    }),
    postRoute(
      `${path}/revoke`,
      access,
      async ({ actor, payload }) => {
        await grants.revoke(actor.id, payload.id);
        return reply.redirect(site.path(`${path}?saved=1`));
      },
      { payload: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }) },
    ),
  ];
}

/** Applications of an organization, for its owners. */
export const organizationRoutes = ({
  oauth2Applications,
  pages,
  site,
}: Services & { readonly pages: OrganizationPages }): readonly Route[] =>
  applicationPages<OrganizationContext>(oauth2Applications, {
    path: '/org/{org}/settings/applications',
    params: { org: Joi.string().required() },
    access: administerOrganization,
    ownerId: ({ resource }) => resource.account.id,
    base: ({ resource }) => site.path(`/org/${resource.account.name}/settings/applications`),
    frame: ({ resource, actor }, options) => pages.settingsPage({ resource, actor }, 'applications', options),
    note: t.later('own.note'),
  });

/** Applications of the site, for administrators. */
export const adminRoutes = ({
  oauth2Applications,
  adminPage,
  site,
}: Services & { readonly adminPage: AdminPage }): readonly Route[] => {
  const path = '/-/admin/applications';
  return applicationPages<undefined>(oauth2Applications, {
    path,
    params: {},
    access: { actor: 'admin' },
    ownerId: () => 0,
    base: () => site.path(path),
    frame: ({ actor }, options) => adminPage({ active: 'applications', actor, ...options }),
    note: t.later('own.noteSite'),
  });
};
