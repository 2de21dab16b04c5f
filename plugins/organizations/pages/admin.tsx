import type { VNode } from 'preact';
import {
  Ago,
  pageRoute,
  formatNumber,
  icon,
  Joi,
  savedFlash,
  SortedList,
  type Route,
  type Site,
  type SortOrder,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, AccountSearch } from '@mortise/accounts/api';
import type { AdminPage } from '@mortise/admin/api';
import { organizationBase, VisibilityLabel, type PathOf } from './components.js';
import type { OrganizationCounts, OrganizationService } from '../services/organizations.js';
import { t } from '../texts/index.js';

const here = '/-/admin/orgs';
const sorts = ['name', 'created', 'updated'] as const;
type Query = { readonly q: string; readonly sort: (typeof sorts)[number]; readonly order: SortOrder };

interface ListProps {
  readonly organizations: readonly Account[];
  readonly counts: ReadonlyMap<number, OrganizationCounts>;
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly query: Query;
  readonly path: PathOf;
}

const OrganizationTable = ({ organizations, counts, total, page, limit, query, path }: ListProps): VNode => (
  <SortedList
    title={t('mine.title')}
    total={total}
    action={path(here)}
    label={t('explore.search')}
    query={query}
    columns={[
      { key: 'name', label: t('admin.name') },
      { label: t('members.title') },
      { label: t('teams.title') },
      { label: t('team.repositories') },
      { key: 'created', label: t('admin.created'), first: 'desc' },
      { label: t('admin.actions') },
    ]}
    none={{ title: t('explore.none'), icon: 'organization' }}
    page={page}
    limit={limit}
  >
    {organizations.map((account) => (
      <Row key={account.id} account={account} counts={counts.get(account.id)} path={path} />
    ))}
  </SortedList>
);

interface RowProps {
  readonly account: Account;
  readonly counts: OrganizationCounts | undefined;
  readonly path: PathOf;
}

function Row({ account, counts, path }: RowProps): VNode {
  const { name } = account;
  const settings = `${organizationBase(path, account)}/settings`;
  return (
    <tr>
      <th scope="row" class="text-normal">
        <a class="text-bold wb-break-word" href={path(`/${name}`)}>
          {name}
        </a>{' '}
        <VisibilityLabel of={account.visibility} />
      </th>
      <td>{formatNumber(counts?.members ?? 0)}</td>
      <td>{formatNumber(counts?.teams ?? 0)}</td>
      <td>{formatNumber(counts?.repositories ?? 0)}</td>
      <td class="no-wrap">
        <Ago time={account.createdAt} />
      </td>
      <td class="text-right no-wrap">
        <a class="btn btn-sm mr-1" href={settings} aria-label={t('admin.settingsOf', { name })}>
          {icon('gear')}
        </a>
        <a class="btn btn-sm btn-danger" href={`${settings}/delete`} aria-label={t('admin.deleteOf', { name })}>
          {icon('trash')}
        </a>
      </td>
    </tr>
  );
}

/** `/-/admin/orgs`: all organizations of the site. */
export function adminPageRoutes({
  accounts,
  organizations,
  adminPage,
  site,
  perPage: limit,
}: {
  readonly accounts: Accounts;
  readonly organizations: OrganizationService;
  readonly adminPage: AdminPage;
  readonly site: Site;
  readonly perPage: number;
}): readonly Route[] {
  const orderOf = ({ sort, order }: Query): Pick<AccountSearch, 'sort' | 'descending'> => {
    if (sort === 'created') return { sort: order === 'desc' ? 'newest' : 'oldest' };
    return { sort, descending: order === 'desc' };
  };
  return [
    pageRoute(
      here,
      { actor: 'admin' },
      async (context) => {
        const { deleted, ...query } = context.query;
        const { page } = context.page;
        const { items, total } = await accounts.search({
          kind: 'organization',
          text: query.q,
          ...orderOf(query),
          limit,
          offset: (page - 1) * limit,
        });
        return adminPage({
          active: 'organizations',
          title: t.later('mine.title'),
          actor: context.actor,
          flash: savedFlash({ deleted }),
          body: (
            <OrganizationTable
              organizations={items}
              counts={await organizations.counts(items.map(({ id }) => id))}
              total={total}
              page={page}
              limit={limit}
              query={query}
              path={(to) => site.path(to)}
            />
          ),
        });
      },
      {
        query: Joi.object<Query & { readonly deleted?: string }>({
          q: Joi.string().allow('').max(255).default(''),
          sort: Joi.string()
            .valid(...sorts)
            .default('name'),
          order: Joi.string().valid('asc', 'desc').default('asc'),
          deleted: Joi.string().allow(''),
        }),
      },
    ),
  ];
}
