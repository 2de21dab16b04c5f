import { pageRoute, type Route, type RouteContext } from '@mortise/plugin-sdk';
import type { SettingsPage } from '@mortise/accounts/api';
import { administerOrganization, type OrganizationContext, type OrganizationPages } from '@mortise/organizations/api';
import type { QuotaLimit } from '../services/quota-limit.js';
import { StorageUsage } from './usage.js';
import { t } from '../texts/index.js';

interface UserServices {
  readonly quotaLimit: QuotaLimit;
  readonly settingsPage: SettingsPage;
}

/** `/user/settings/storage`: what the signed-in user stores. */
export const userStoragePage = ({ quotaLimit, settingsPage }: UserServices): readonly Route[] => [
  pageRoute('/user/settings/storage', { actor: 'user' }, async ({ actor }) =>
    settingsPage({
      active: 'storage',
      title: t.later('usage.title'),
      actor,
      body: <StorageUsage quota={await quotaLimit.of(actor.id)} />,
    }),
  ),
];

interface OrganizationServices {
  readonly quotaLimit: QuotaLimit;
  readonly organizationPages: OrganizationPages;
}

/** `/org/{org}/settings/storage`: the same of an organization. */
export const organizationStoragePage = ({ quotaLimit, organizationPages }: OrganizationServices): readonly Route[] => [
  pageRoute(
    '/org/{org}/settings/storage',
    administerOrganization,
    async ({ resource, actor }: RouteContext<OrganizationContext>) =>
      organizationPages.settingsPage({ resource, actor }, 'storage', {
        title: t.later('usage.title'),
        body: <StorageUsage quota={await quotaLimit.of(resource.account.id)} />,
      }),
  ),
];
