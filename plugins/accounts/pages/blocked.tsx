import { Blankslate, Csrf, Pager, PostButton, Section, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account } from '../api.js';
import { t } from '../texts/index.js';

export interface BlockedUsersProps {
  readonly users: readonly { readonly account: Account; readonly avatarUrl: string }[];
  readonly page: number;
  readonly last: number;
  /** The name that was refused. */
  readonly name: string;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

/** Whom the account has blocked, and a field to block somebody. */
export const BlockedUsers = ({ users, page, last, name, csrf, path }: BlockedUsersProps): VNode => (
  <Section title={t('blocked.title')}>
    <p class="color-fg-muted">{t('blocked.note')}</p>
    {users.length === 0 ? (
      <Blankslate level={3} title={t('blocked.none')} icon="circle-slash" />
    ) : (
      <ul class="Box list-style-none mb-3">
        {users.map(({ account, avatarUrl }) => (
          <li class="Box-row d-flex flex-items-center" key={account.id}>
            <img class="avatar mr-3" src={avatarUrl} width="32" height="32" alt="" />
            <div class="list-main">
              <a class="text-bold" href={path(`/${account.name}`)}>
                {account.name}
              </a>{' '}
              <span class="color-fg-muted">{account.fullName}</span>
            </div>
            <PostButton
              action={path('/user/settings/blocked')}
              csrf={csrf}
              fields={{ action: 'unblock', name: account.name }}
              label={t('blocked.unblockOf', { name: account.name })}
            >
              {t('blocked.unblock')}
            </PostButton>
          </li>
        ))}
      </ul>
    )}
    <Pager page={page} last={last} href={(to) => `?page=${to}`} />
    <form method="post" action={path('/user/settings/blocked')}>
      <Csrf token={csrf} />
      <TextField
        name="name"
        label={t('blocked.name')}
        value={name}
        required
        autocapitalize="none"
        maxLength={40}
        short
      />
      <button class="btn btn-danger" type="submit">
        {t('blocked.block')}
      </button>
    </form>
  </Section>
);
