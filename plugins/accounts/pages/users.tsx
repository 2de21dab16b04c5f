import { Blankslate, formatNumber, Pager, SearchBox, Tabs } from '@mortise/plugin-sdk';
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
      <Blankslate
        title={t(list === 'followers' ? 'people.noFollowers' : 'people.noFollowing', { name })}
        icon="people"
        level={3}
      />
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
      <Tabs
        label={t('people.explore')}
        entries={[
          { key: 'repositories', label: t('people.repositories'), href: path('/explore/repos') },
          { key: 'users', label: t('people.title'), href: path('/explore/users') },
        ]}
        active="users"
      />
      <SearchBox action={path('/explore/users')} value={text} label={t('people.find')} />
      {users.length === 0 ? (
        <Blankslate title={t('people.none')} icon="people" />
      ) : (
        <UserList users={users} path={path} />
      )}
      <Pager page={page} last={pages} href={link} />
    </div>
  );
}
