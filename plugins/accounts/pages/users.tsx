import { formatNumber, icon, Pager } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account } from '../api.js';
import { t } from '../texts/index.js';

export interface Person {
  readonly account: Account;
  readonly avatarUrl: string;
}

interface UserListProps {
  readonly users: readonly Person[];
  readonly path: (path: string) => string;
}

/** People one below the other, each with picture, names and what they say of themselves. */
const UserList = ({ users, path }: UserListProps): VNode => (
  <ul class="Box list-style-none">
    {users.map(({ account, avatarUrl }) => (
      <li class="Box-row d-flex flex-items-center" key={account.id}>
        <img class="avatar mr-3" src={avatarUrl} width="40" height="40" alt="" />
        <div class="flex-auto min-width-0">
          <a class="text-bold" href={path(`/${account.name}`)}>
            {account.name}
          </a>{' '}
          <span class="color-fg-muted wb-break-word">{account.fullName}</span>
          {account.description ? <div class="f6 color-fg-muted wb-break-word">{account.description}</div> : null}
        </div>
      </li>
    ))}
  </ul>
);

export interface RelatedUsersProps extends UserListProps {
  readonly list: 'followers' | 'following';
  /** Of the account whose page it is. */
  readonly name: string;
  readonly total: number;
  readonly page: number;
  readonly last: number;
  readonly href: (page: number) => string;
}

/** On the profile page: who follows the account, or whom it follows. */
export const RelatedUsers = ({ list, name, total, page, last, href, ...users }: RelatedUsersProps): VNode => (
  <section>
    <h2 class="f3 mb-3">
      {t(`people.${list}`)} <span class="Counter">{formatNumber(total)}</span>
    </h2>
    {total === 0 ? (
      <div class="blankslate border rounded-2">
        {icon('people', { size: 24 })}
        <p class="mb-0">{t(list === 'followers' ? 'people.noFollowers' : 'people.noFollowing', { name })}</p>
      </div>
    ) : (
      <UserList {...users} />
    )}
    <Pager page={page} last={last} href={href} />
  </section>
);

export interface UserSearchProps extends UserListProps {
  readonly text: string;
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** A searchable list of people. */
export function UserSearch({ users, text, total, page, pages, path }: UserSearchProps): VNode {
  const link = (to: number) => path(`/explore/users?page=${to}${text ? `&q=${encodeURIComponent(text)}` : ''}`);
  return (
    <div>
      <h1 class="f2 mb-3">
        {t('people.heading')} <span class="Counter">{formatNumber(total)}</span>
      </h1>
      <nav class="UnderlineNav mb-3" aria-label={t('people.explore')}>
        <div class="UnderlineNav-body">
          <a class="UnderlineNav-item" href={path('/explore/repos')}>
            {t('people.repositories')}
          </a>
          <a class="UnderlineNav-item" href={path('/explore/users')} aria-current="page">
            {t('people.title')}
          </a>
        </div>
      </nav>
      <form method="get" action={path('/explore/users')} class="d-flex mb-3">
        <input
          class="form-control flex-auto mr-2"
          type="search"
          name="q"
          value={text}
          placeholder={t('people.find')}
          aria-label={t('people.find')}
        />
        <button class="btn" type="submit">
          {t('people.search')}
        </button>
      </form>
      {users.length === 0 ? (
        <div class="blankslate border rounded-2">
          <h2 class="blankslate-heading">{t('people.none')}</h2>
        </div>
      ) : (
        <UserList users={users} path={path} />
      )}
      <Pager page={page} last={pages} href={link} />
    </div>
  );
}
