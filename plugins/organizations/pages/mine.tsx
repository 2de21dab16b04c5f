import type { VNode } from 'preact';
import {
  Blankslate,
  formatNumber,
  lastPage,
  Pager,
  PostButton,
  Section,
  pageRoute,
  savedFlash,
  type Actor,
  type Route,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, Memberships, ProfileProps, SettingsPage } from '@mortise/accounts/api';
import { organizationBase, UserRow, VisibilityLabel, userViewOf, type PathOf, type UserView } from './components.js';
import { t } from '../texts/index.js';
import type { OrganizationService } from '../services/organizations.js';

interface MineProps {
  readonly organizations: readonly (UserView & { readonly isOwner: boolean; readonly isPublic: boolean })[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly mayCreate: boolean;
  readonly path: PathOf;
}

/** Organizations among the settings of an account. */
const Mine = ({ organizations, total, page, limit, mayCreate, path }: MineProps): VNode => (
  <Section
    title={
      <>
        {t('mine.title')} <span class="Counter">{formatNumber(total)}</span>
      </>
    }
    actions={
      mayCreate ? (
        <a class="btn btn-primary" href={path('/org/create')}>
          {t('create.title')}
        </a>
      ) : null
    }
  >
    {total === 0 ? (
      <Blankslate title={t('mine.none')} icon="organization" level={3} />
    ) : (
      <ul class="Box list-style-none">
        {organizations.map((one) => (
          <UserRow
            key={one.account.id}
            {...one}
            path={path}
            marks={
              <>
                {one.isOwner ? <span class="Label Label--accent mr-1">{t('members.owner')}</span> : null}
                <span class="Label">{t(one.isPublic ? 'members.public' : 'members.hidden')}</span>
              </>
            }
          >
            <PostButton
              action={`${organizationBase(path, one.account)}/members/action/leave`}
              label={t('mine.leaveOf', { name: one.account.name })}
              confirm={t('members.leaveConfirm', { name: one.account.name })}
              danger
            >
              {t('members.leave')}
            </PostButton>
          </UserRow>
        ))}
      </ul>
    )}
    <Pager page={page} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
  </Section>
);

interface ListProps {
  readonly organizations: readonly UserView[];
  readonly path: PathOf;
}

/** Beside what a profile says of a person. */
const ProfileOrganizations = ({ organizations, path }: ListProps): VNode => (
  <section class="mt-4">
    <h2 class="f4 mb-2">{t('mine.title')}</h2>
    <ul class="list-style-none d-flex flex-wrap gap-2">
      {organizations.map(({ account: { id, name }, avatarUrl }) => (
        <li key={id}>
          <a href={path(`/${name}`)} title={name}>
            <img class="avatar" src={avatarUrl} width="36" height="36" alt={name} />
          </a>
        </li>
      ))}
    </ul>
  </section>
);

/** On the dashboard: the ways to the organizations of who is signed in. */
const DashboardOrganizations = ({ organizations, total, path }: ListProps & { total: number }): VNode => (
  <section class="mb-4" aria-labelledby="dashboard-organizations">
    <h2 class="f4 mb-2" id="dashboard-organizations">
      {t('mine.title')} <span class="Counter">{formatNumber(total)}</span>
    </h2>
    <ul class="Box list-style-none">
      {organizations.map(({ account, avatarUrl }) => (
        <li key={account.id} class="Box-row py-2 d-flex flex-items-center gap-2">
          <img class="avatar" src={avatarUrl} width="20" height="20" alt="" />
          <a class="wb-break-word" href={path(`/${account.name}`)}>
            {account.name}
          </a>{' '}
          <Visibility account={account} />
        </li>
      ))}
      {total > organizations.length ? (
        <li class="Box-row py-2">
          <a href={path('/user/settings/organization')}>{t('mine.all', { count: total })}</a>
        </li>
      ) : null}
    </ul>
  </section>
);

const Visibility = ({ account }: { account: Account }): VNode => <VisibilityLabel of={account.visibility} />;

interface Services {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly organizations: OrganizationService;
  readonly site: Site;
}

/** Where only a few have room. */
const maxOnDashboard = 8;

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
    pageRoute(
      '/user/settings/organization',
      { actor: 'user' },
      async ({ actor, query, page: { page, limit, offset } }) => {
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
              path={(to) => site.path(to)}
            />
          ),
        });
      },
    ),
  ];
}

/** On the profile of a person: its organizations, as far as the visitor may know of them. */
export const profileSlot = (
  { accounts, memberships, organizations, site }: Services,
  maxListed: number,
): Slot<ProfileProps> => ({
  key: 'organizations',
  order: 20,
  async render({ account, actor }) {
    // Kept between requests, and empty for limits.
    if ((await memberships.of(account.id)).size === 0) return null;
    const { items } = await organizations.ofUser(account.id, actor, { limit: maxListed, offset: 0 });
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
}: Services): Slot<{ readonly actor: Actor }> => ({
  key: 'organizations',
  order: 20,
  async render({ actor }) {
    if ((await memberships.of(actor.id)).size === 0) return null;
    const { items, total } = await organizations.ofUser(actor.id, actor, { limit: maxOnDashboard, offset: 0 });
    const shown = items.map((one) => userViewOf(accounts)(one.account));
    return <DashboardOrganizations organizations={shown} total={total} path={(to) => site.path(to)} />;
  },
});
