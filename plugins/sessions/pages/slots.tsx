import { icon, type Actor, type Site, type Slot } from '@mortise/plugin-sdk';
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
            <a class="Header-link mr-3" href={site.path('/user/login')}>
              Sign in
            </a>
            {canRegister ? (
              <a class="Header-link" href={site.path('/user/sign_up')}>
                Register
              </a>
            ) : null}
          </span>
        );
      }
      const link = (to: string, name: string, label: string) => (
        <li>
          <a class="dropdown-item" href={site.path(to)}>
            {icon(name, { class: 'mr-2' })}
            {label}
          </a>
        </li>
      );
      return (
        <details class="dropdown details-reset details-overlay d-inline-block">
          <summary class="Header-link" aria-haspopup="true" aria-label="Your account">
            <img class="avatar avatar-user" src={accounts.avatarUrl(account)} width="24" height="24" alt={account.name} />
            <span class="dropdown-caret ml-1" />
          </summary>
          <ul class="dropdown-menu dropdown-menu-sw">
            <li class="dropdown-header">
              Signed in as <strong>{account.name}</strong>
            </li>
            <li class="dropdown-divider" role="separator" />
            {link(`/${account.name}`, 'person', 'Your profile')}
            {link('/user/settings', 'gear', 'Settings')}
            {actor.isAdmin ? link('/-/admin', 'server', 'Site administration') : null}
            <li class="dropdown-divider" role="separator" />
            <li>
              <form method="post" action={site.path('/user/logout')}>
                <input type="hidden" name="_csrf" value={csrf} />
                <button class="dropdown-item btn-link width-full text-left" type="submit">
                  {icon('sign-out', { class: 'mr-2' })}Sign out
                </button>
              </form>
            </li>
          </ul>
        </details>
      );
    },
  };
}

/** `/` for visitors; dashboards of signed-in people come from other plugins with a lower order. */
export function welcomeSlot(site: Site, canRegister: boolean): Slot<Props> {
  return {
    key: 'welcome',
    order: 900,
    render({ actor }): VNode {
      return (
        <div class="container-lg px-3 py-6 text-center">
          <h1 class="f00-light mb-3">{site.name}</h1>
          <p class="f3-light color-fg-muted mb-4">Git repositories, packages and the work around them, on a server of your own.</p>
          {actor.kind === 'user' ? (
            <a class="btn btn-primary btn-large" href={site.path(`/${actor.name}`)}>
              Go to your profile
            </a>
          ) : (
            <span>
              <a class="btn btn-primary btn-large mr-2" href={site.path('/user/login')}>
                Sign in
              </a>
              {canRegister ? (
                <a class="btn btn-large" href={site.path('/user/sign_up')}>
                  Make an account
                </a>
              ) : null}
            </span>
          )}
        </div>
      );
    },
  };
}
