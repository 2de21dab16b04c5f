import { defineRoute, savedFlash, type Actor, type Route, type Site, type Slot } from '@mortise/plugin-sdk';
import type { Accounts, Memberships, ProfileProps, SettingsPage } from '@mortise/accounts/api';
import { DashboardOrganizations, Mine, ProfileOrganizations } from '../pages/mine.js';
import { userViewOf } from '../pages/components.js';
import type { OrganizationService } from '../services/organizations.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly organizations: OrganizationService;
  readonly site: Site;
}

/** Where only a few have room. */
const maxListed = { profile: 30, dashboard: 8 } as const;

/** `/user/settings/organization`: the organizations that one belongs to. */
export function userPageRoutes({
  accounts,
  memberships,
  organizations,
  settingsPage,
  site,
  isCreationOpen,
}: Services & {
  readonly settingsPage: SettingsPage;
  readonly isCreationOpen: boolean;
}): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/user/settings/organization',
      surface: 'page',
      access: { actor: 'user' },
      async handler({ actor, csrf, query, page: { page, limit, offset } }) {
        const { items, total } = await organizations.ofUser(actor.id, actor, { limit, offset });
        const known = await memberships.of(actor.id);
        return settingsPage({
          active: 'organizations',
          title: t.later('mine.title'),
          actor,
          flash: savedFlash(query as object),
          body: (
            <Mine
              organizations={items.map(({ account }) => ({
                ...userViewOf(accounts)(account),
                isOwner: known.get(account.id)?.isOwner ?? false,
                isPublic: known.get(account.id)?.isPublic ?? false,
              }))}
              total={total}
              page={page}
              limit={limit}
              mayCreate={await organizations.mayCreate(actor, isCreationOpen)}
              csrf={csrf}
              path={(to) => site.path(to)}
            />
          ),
        });
      },
    }),
  ];
}

/** On the profile of a person: its organizations, as far as the visitor may know of them. */
export const profileSlot = ({ accounts, memberships, organizations, site }: Services): Slot<ProfileProps> => ({
  key: 'organizations',
  order: 20,
  async render({ account, actor }) {
    // Kept between requests, and empty for limits.
    if ((await memberships.of(account.id)).size === 0) return null;
    const { items } = await organizations.ofUser(account.id, actor, { limit: maxListed.profile, offset: 0 });
    if (items.length === 0) return null;
    const shown = items.map((one) => userViewOf(accounts)(one.account));
    return <ProfileOrganizations organizations={shown} path={(to) => site.path(to)} />;
  },
});

/** On the dashboard: the organizations of who is signed in. */
export const dashboardSlot = ({
  accounts,
  memberships,
  organizations,
  site,
}: Services): Slot<{ readonly actor: Actor; readonly csrf: string }> => ({
  key: 'organizations',
  order: 20,
  async render({ actor }) {
    if ((await memberships.of(actor.id)).size === 0) return null;
    const { items, total } = await organizations.ofUser(actor.id, actor, { limit: maxListed.dashboard, offset: 0 });
    const shown = items.map((one) => userViewOf(accounts)(one.account));
    return <DashboardOrganizations organizations={shown} total={total} path={(to) => site.path(to)} />;
  },
});
