import {
  Blankslate,
  formatNumber,
  Joi,
  Pager,
  pageRoute,
  SearchBox,
  Tabs,
  webPage,
  type NavigationItem,
  type PointReader,
  type Route,
  type Site,
  type TabEntry,
} from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import type { Account, Accounts, ExploreRules } from '../api.js';
import { t } from '../texts/index.js';

export interface UserEntry {
  readonly account: Account;
  readonly avatarUrl: string;
}

interface UserListProps {
  readonly users: readonly UserEntry[];
  readonly path: (path: string) => string;
}

interface UserRowProps extends UserEntry {
  readonly path: (path: string) => string;
  /** Pixels of the picture. */
  readonly size: number;
  /** Below the names. */
  readonly note?: string;
  /** At the end of the row. */
  readonly children?: ComponentChildren;
}

/** An account in a list: picture and names. */
export const UserRow = ({ account, avatarUrl, path, size, note, children }: UserRowProps): VNode => (
  <li class="Box-row d-flex flex-items-center">
    <img class="avatar mr-3" src={avatarUrl} width={size} height={size} alt="" />
    <div class="list-main">
      <a class="text-bold" href={path(`/${account.name}`)}>
        {account.name}
      </a>{' '}
      <span class="color-fg-muted wb-break-word">{account.fullName}</span>
      {note ? <div class="f6 color-fg-muted wb-break-word">{note}</div> : null}
    </div>
    {children}
  </li>
);

/** Accounts one below the other, each with picture, names and what it says of itself. */
const UserList = ({ users, path }: UserListProps): VNode => (
  <ul class="Box list-style-none">
    {users.map((one) => (
      <UserRow key={one.account.id} {...one} path={path} size={40} note={one.account.description} />
    ))}
  </ul>
);

interface RelatedUsersProps extends UserListProps {
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
      {t(`users.${list}`)} <span class="Counter">{formatNumber(total)}</span>
    </h2>
    {total === 0 ? (
      <Blankslate
        title={t(list === 'followers' ? 'users.noFollowers' : 'users.noFollowing', { name })}
        icon="people"
        level={3}
      />
    ) : (
      <UserList {...users} />
    )}
    <Pager page={page} last={last} href={href} />
  </section>
);

interface UserSearchProps extends UserListProps {
  readonly text: string;
  readonly total: number;
  readonly page: number;
  readonly pages: number;
  readonly tabs: readonly TabEntry[];
}

/** A searchable list of accounts. */
function UserSearch({ users, text, total, page, pages, tabs, path }: UserSearchProps): VNode {
  const link = (to: number) => path(`/explore/users?page=${to}${text ? `&q=${encodeURIComponent(text)}` : ''}`);
  return (
    <div>
      <h1 class="f2 mb-3">
        {t('users.heading')} <span class="Counter">{formatNumber(total)}</span>
      </h1>
      <Tabs label={t('users.explore')} entries={tabs} active="users" />
      <SearchBox action={path('/explore/users')} value={text} label={t('users.find')} />
      {users.length === 0 ? (
        <Blankslate title={t('users.none')} icon="people" />
      ) : (
        <UserList users={users} path={path} />
      )}
      <Pager page={page} last={pages} href={link} />
    </div>
  );
}

export const usersPerPage = 30;
export const pageNumber = Joi.number().integer().min(1).max(100_000).default(1).failover(1);

export const userViews = (accounts: Pick<Accounts, 'avatarUrl'>, found: readonly Account[]) =>
  found.map((account) => ({ account, avatarUrl: accounts.avatarUrl(account) }));

/** `/explore/users`: who there is on this site. */
export const userSearchPage =
  (explore: PointReader<NavigationItem>) =>
  ({
    accounts,
    site,
    rules,
  }: {
    readonly accounts: Accounts;
    readonly site: Site;
    readonly rules: ExploreRules;
  }): readonly Route[] => [
    pageRoute(
      '/explore/users',
      { actor: rules.actor },
      async ({ actor, query }) => {
        const { items, total } = await accounts.search({
          kind: 'user',
          text: query.q,
          visibleTo: actor,
          limit: rules.perPage,
          offset: (query.page - 1) * rules.perPage,
        });
        return webPage({
          title: t.later('users.title'),
          active: 'explore',
          body: (
            <UserSearch
              users={userViews(accounts, items)}
              text={query.q}
              total={total}
              page={query.page}
              pages={Math.ceil(total / rules.perPage)}
              tabs={explore.list().map((entry) => ({ ...entry, href: site.path(entry.href) }))}
              path={site.path}
            />
          ),
        });
      },
      {
        query: Joi.object<{ readonly q: string; readonly page: number }>({
          q: Joi.string().allow('').default(''),
          page: pageNumber,
        }),
      },
    ),
  ];
