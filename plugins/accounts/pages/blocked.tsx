import {
  Blankslate,
  Csrf,
  Pager,
  PostButton,
  Section,
  TextField,
  checkFields,
  pageRoute,
  formRoute,
  formStatus,
  formText,
  Invalid,
  lastPage,
  savedFlash,
  type Flash,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import { UserRow, type UserEntry } from './users.js';
import type { Account, Accounts, Memberships, SettingsPage } from '../api.js';
import { userFieldIslands } from '../contract/user-field.js';
import type { Relations } from '../services/relations.js';

interface BlockedUsersProps {
  readonly users: readonly UserEntry[];
  readonly page: number;
  readonly last: number;
  /** The name that was refused. */
  readonly name: string;
  readonly path: (path: string) => string;
}

/** Whom the account has blocked, and a field to block somebody. */
const BlockedUsers = ({ users, page, last, name, path }: BlockedUsersProps): VNode => (
  <Section title={t('blocked.title')}>
    <p class="color-fg-muted">{t('blocked.note')}</p>
    {users.length === 0 ? (
      <Blankslate level={3} title={t('blocked.none')} icon="circle-slash" />
    ) : (
      <ul class="Box list-style-none mb-3">
        {users.map((one) => (
          <UserRow key={one.account.id} {...one} path={path} size={32}>
            <PostButton
              action={path('/user/settings/blocked')}
              fields={{ action: 'unblock', name: one.account.name }}
              label={t('blocked.unblockOf', { name: one.account.name })}
            >
              {t('blocked.unblock')}
            </PostButton>
          </UserRow>
        ))}
      </ul>
    )}
    <Pager page={page} last={last} href={(to) => `?page=${to}`} />
    <form method="post" action={path('/user/settings/blocked')}>
      <Csrf />
      <TextField
        name="name"
        label={t('blocked.name')}
        value={name}
        required
        autocapitalize="none"
        maxLength={40}
        data-suggest="user"
        short
      />
      <button class="btn btn-danger" type="submit">
        {t('blocked.block')}
      </button>
    </form>
  </Section>
);

interface Services {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly relations: Relations;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

const here = '/user/settings/blocked';

/** Blocked users among one's own settings. */
export function blockedPageRoutes({
  accounts,
  memberships,
  relations,
  settingsPage,
  site,
}: Services): readonly Route[] {
  const access = { actor: 'user' } as const;
  const path = (to: string) => site.path(to);

  const page = async (context: RouteContext, flash?: Flash, name = '') => {
    const { actor } = context;
    const { page: number, limit, offset } = context.page;
    const { items, total } = await relations.blocked(actor.id, { limit, offset });
    return settingsPage({
      active: 'blocked',
      title: t.later('blocked.title'),
      actor,
      flash,
      islands: userFieldIslands,
      status: formStatus(flash),
      body: (
        <BlockedUsers
          users={items.map((account) => ({ account, avatarUrl: accounts.avatarUrl(account) }))}
          page={number}
          last={lastPage(total, limit)}
          name={name}
          path={path}
        />
      ),
    });
  };

  /** Nobody learns of accounts here that they may not see. */
  const named = async ({ actor }: RouteContext, name: string): Promise<Account> => {
    const account = await accounts.byName(name);
    if (!account || !(await memberships.mayView(actor, account))) throw Invalid(t.later('error.noUser'));
    return account;
  };

  return [
    pageRoute(here, access, (context) => page(context, savedFlash(context.query))),
    formRoute(
      here,
      access,
      async (context, values) => {
        const name = formText(values, 'name');
        if (formText(values, 'action') === 'unblock') {
          const account = await accounts.byName(name);
          if (account) await relations.unblock(context.actor.id, account.id);
        } else
          await checkFields({
            name: async () => relations.block(context.actor.id, await named(context, name), ''),
          });
        return path(`${here}?saved=1`);
      },
      (context, values, flash) =>
        page(context, flash, formText(values, 'action') === 'unblock' ? '' : formText(values, 'name')),
    ),
  ];
}
