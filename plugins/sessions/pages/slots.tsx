import { icon, PostButton, type Actor, type Site, type Slot } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Accounts } from '@mortise/accounts/api';

interface Props {
  readonly actor: Actor;
  readonly csrf: string;
}

/** Right end of the top bar: the avatar menu, or the ways to sign in. Opens without scripts. */
export function userMenuSlot(accounts: Accounts, site: Site, canRegister: boolean): Slot<Props> {
  return {
    key: 'sessions',
    order: 100,
    async render({ actor, csrf }): Promise<VNode | null> {
      const account = actor.kind === 'user' ? await accounts.byId(actor.id) : undefined;
      if (!account) {
        return (
          <span class="d-flex flex-items-center">
            <a class="Link--primary mr-3" href={site.path('/user/login')}>
              Sign in
            </a>
            {canRegister ? (
              <a class="btn btn-sm" href={site.path('/user/sign_up')}>
                Register
              </a>
            ) : null}
          </span>
        );
      }
      const link = (to: string, name: string, label: string) => (
        <li>
          <a class="d-block px-3 py-1 Link--primary no-underline" href={site.path(to)}>
            {icon(name, { class: 'mr-2' })}
            {label}
          </a>
        </li>
      );
      return (
        <details class="dropdown details-reset details-overlay d-inline-block">
          <summary aria-haspopup="true" aria-label={`Account menu of ${account.name}`}>
            <img class="avatar" src={accounts.avatarUrl(account)} width="28" height="28" alt="" />
            <span class="dropdown-caret ml-1" />
          </summary>
          <ul
            class="Box color-shadow-large list-style-none position-absolute right-0 mt-2 py-2"
            style="z-index:100;width:220px"
          >
            <li class="px-3 pb-2 mb-2 border-bottom">
              Signed in as <strong>{account.name}</strong>
            </li>
            {link(`/${account.name}`, 'person', 'Your profile')}
            {link('/user/settings', 'gear', 'Settings')}
            {actor.isAdmin ? link('/-/admin', 'server', 'Site administration') : null}
            <li class="border-top mt-2 pt-2">
              <PostButton
                action={site.path('/user/logout')}
                csrf={csrf}
                class="btn-link d-block width-full px-3 py-1 text-left Link--primary no-underline"
              >
                {icon('sign-out', { class: 'mr-2' })}Sign out
              </PostButton>
            </li>
          </ul>
        </details>
      );
    },
  };
}
