import {
  Joi,
  type Access,
  type PageOptions,
  type RouteContext,
  type Site,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
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
import { ownScope } from '../routes/levels.js';
import type { Scope } from '../services/finder.js';
import { t } from '../texts/index.js';

type FrameOptions = Pick<PageOptions, 'title' | 'body'>;

/** A log that has a page: where it lies, who may read it, which entries are in it, and what frames it. */
export interface PageLevel {
  readonly path: string;
  readonly params: Readonly<Record<string, Joi.Schema>>;
  readonly access: Access<never>;
  readonly title: Text;
  /** What the page says about itself. */
  readonly about: Text;
  scope(context: RouteContext<never>): Scope;
  /** Address of the page. */
  base(context: RouteContext<never>): string;
  frame(context: RouteContext<never>, options: FrameOptions): WebPage | Promise<WebPage>;
}

const name = Joi.string().required();

export const sitePageLevel = (adminPage: AdminPage, site: Site): PageLevel => ({
  path: '/-/admin/audit',
  params: {},
  access: { actor: 'admin' },
  title: t.later('log.title'),
  about: t.later('log.aboutSite'),
  scope: () => ({ kind: 'site' }),
  base: () => site.path('/-/admin/audit'),
  frame: ({ actor }, options) => adminPage({ active: 'audit', actor, ...options }),
});

export const ownPageLevel = (settingsPage: SettingsPage, site: Site): PageLevel => ({
  path: '/user/settings/security-log',
  params: {},
  access: { actor: 'user' },
  title: t.later('log.ownTitle'),
  about: t.later('log.aboutOwn'),
  scope: ({ actor }) => ownScope(actor),
  base: () => site.path('/user/settings/security-log'),
  frame: ({ actor }, options) => settingsPage({ active: 'security-log', actor, ...options }),
});

export const repositoryPageLevel = (pages: RepositoryPages, site: Site): PageLevel => ({
  path: '/{owner}/{repo}/settings/audit-log',
  params: { owner: name, repo: name },
  access: administerPage as Access<never>,
  title: t.later('log.title'),
  about: t.later('log.aboutRepository'),
  scope: ({ resource }: RouteContext<RepositoryContext>) => ({ kind: 'repository', id: resource.repository.id }),
  base: ({ resource }: RouteContext<RepositoryContext>) =>
    `${repositoryHome(site, resource.repository)}/settings/audit-log`,
  frame: (context: RouteContext<RepositoryContext>, options) =>
    pages.settingsPage(repositoryPageContext(context), 'audit-log', options),
});

export const organizationPageLevel = (pages: OrganizationPages, site: Site): PageLevel => ({
  path: '/org/{org}/settings/audit-log',
  params: { org: name },
  access: administerOrganization as Access<never>,
  title: t.later('log.title'),
  about: t.later('log.aboutOrganization'),
  scope: ({ resource }: RouteContext<OrganizationContext>) => ({ kind: 'owner', id: resource.account.id }),
  base: ({ resource }: RouteContext<OrganizationContext>) =>
    site.path(`/org/${resource.account.name}/settings/audit-log`),
  frame: ({ resource, actor }: RouteContext<OrganizationContext>, options) =>
    pages.settingsPage({ resource, actor }, 'audit-log', options),
});
