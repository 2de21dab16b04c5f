import {
  bold,
  icon,
  PostButton,
  textOf,
  type AccountMenuItem,
  type Actor,
  type PointReader,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, Accounts } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

interface Props {
  readonly actor: Actor;
}

type Path = (path: string) => string;

/** Right end of the top bar: the avatar menu, or the ways to sign in. Opens without scripts. */
export function userMenuSlot(
  accounts: Accounts,
  site: Site,
  entries: PointReader<AccountMenuItem>,
  canRegister: boolean,
): Slot<Props> {
  const path = (to: string) => site.path(to);
  return {
    key: 'sessions',
    order: 100,
    async render(props): Promise<VNode | null> {
      const { actor } = props;
      const account = actor.kind === 'user' ? await accounts.byId(actor.id) : undefined;
      if (!account) return <SignInLinks canRegister={canRegister} path={path} />;
      const avatarUrl = accounts.avatarUrl(account);
      const shown = entries.list().filter((entry) => entry.visible?.(actor) ?? true);
      return <AccountMenu account={account} avatarUrl={avatarUrl} actor={actor} entries={shown} path={path} />;
    },
  };
}

const SignInLinks = ({ canRegister, path }: { canRegister: boolean; path: Path }): VNode => (
  <span class="d-flex flex-items-center">
    <a class="Link--primary mr-3" href={path('/user/login')}>
      {t('menu.signIn')}
    </a>
    {canRegister ? (
      <a class="btn btn-sm" href={path('/user/sign_up')}>
        {t('menu.register')}
      </a>
    ) : null}
  </span>
);

const MenuLink = ({ href, name, label }: { href: string; name: string; label: string }): VNode => (
  <li>
    <a class="d-block px-3 py-1 Link--primary no-underline" href={href}>
      {icon(name, { class: 'mr-2' })}
      {label}
    </a>
  </li>
);

interface AccountMenuProps {
  readonly account: Account;
  readonly avatarUrl: string;
  readonly actor: Actor;
  readonly entries: readonly AccountMenuItem[];
  readonly path: Path;
}

const AccountMenu = ({ account, avatarUrl, actor, entries, path }: AccountMenuProps): VNode => (
  <details class="dropdown details-reset details-overlay d-inline-block">
    <summary aria-haspopup="true" aria-label={t('menu.label', { name: account.name })}>
      <img class="avatar" src={avatarUrl} width="28" height="28" alt="" />
      <span class="dropdown-caret ml-1" />
    </summary>
    <ul class="Box color-shadow-large list-style-none position-absolute right-0 mt-2 py-2 account-menu">
      <li class="px-3 pb-2 mb-2 border-bottom">{t.rich('menu.signedIn', { name: account.name, b: bold })}</li>
      <MenuLink href={path(`/${account.name}`)} name="person" label={t('menu.profile')} />
      <MenuLink href={path('/')} name="home" label={t('menu.dashboard')} />
      {entries.map((entry) => (
        <MenuLink
          key={entry.key}
          href={path(entry.href(actor))}
          name={entry.icon ?? 'dot'}
          label={textOf(entry.label)}
        />
      ))}
      <li class="border-top my-2" />
      <MenuLink href={path('/user/settings')} name="gear" label={t('menu.settings')} />
      {actor.isAdmin ? <MenuLink href={path('/-/admin')} name="server" label={t('menu.admin')} /> : null}
      <li class="border-top mt-2 pt-2">
        <PostButton
          action={path('/user/logout')}
          class="btn-link d-block width-full px-3 py-1 text-left Link--primary no-underline"
        >
          {icon('sign-out', { class: 'mr-2' })}
          {t('menu.signOut')}
        </PostButton>
      </li>
    </ul>
  </details>
);
