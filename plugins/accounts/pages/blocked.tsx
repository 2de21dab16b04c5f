import { Blankslate, Csrf, Pager, PostButton, Section, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import { UserRow, type UserEntry } from './users.js';

export interface BlockedUsersProps {
  readonly users: readonly UserEntry[];
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
        {users.map((one) => (
          <UserRow key={one.account.id} {...one} path={path} size={32}>
            <PostButton
              action={path('/user/settings/blocked')}
              csrf={csrf}
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
      <Csrf token={csrf} />
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
