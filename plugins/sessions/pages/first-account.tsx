import type { VNode } from 'preact';
import { icon, type Actor, type Site, type Slot } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Registration } from '../services/registration.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly accounts: Pick<Accounts, 'count'>;
  readonly registration: Pick<Registration, 'isShown' | 'isOpenToExternal'>;
  readonly site: Site;
}

/** On the front page of a site without accounts: how to make the first one. */
export function firstAccountStep({ accounts, registration, site }: Deps): Slot<{ actor: Actor }> & { key: string } {
  // a site that has had one will not ask again, so that its front page costs no query
  let hasAccounts = false;
  return {
    key: 'first-account',
    order: 10,
    async render() {
      hasAccounts ||= (await accounts.count()) > 0;
      // who signs in by another site makes the first account as well
      if (hasAccounts || (registration.isOpenToExternal && !registration.isShown)) return null;
      return <FirstAccount isOpen={registration.isShown} path={site.path('/user/sign_up')} />;
    },
  };
}

const FirstAccount = ({ isOpen, path }: { isOpen: boolean; path: string }): VNode =>
  isOpen ? (
    <div class="mb-3">
      <a class="btn btn-primary btn-large" href={path}>
        {icon('person-add')} {t('first.create')}
      </a>
      <p class="color-fg-muted mt-2">{t('first.administrator')}</p>
    </div>
  ) : (
    <p>
      {t.rich('first.command', {
        command: <code>mortise admin user create --admin --username … --email … --random-password</code>,
      })}
    </p>
  );
