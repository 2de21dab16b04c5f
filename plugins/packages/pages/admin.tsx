import type { VNode } from 'preact';
import {
  Ago,
  pageRoute,
  formatNumber,
  formatSize,
  formRoute,
  formStatus,
  formText,
  icon,
  Joi,
  listHref,
  NotFound,
  PostButton,
  savedFlash,
  SortedList,
  type Database,
  type Flash,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { AdminPage } from '@mortise/admin/api';
import type { PackageFormat } from '../api.js';
import { overviewSorts, packageOverview, type OverviewSearch, type PackageSummary } from '../services/overview.js';
import { deleteByHand } from '../services/deletion.js';
import type { Store } from '../services/store.js';
import { t } from '../texts/index.js';
import { addressOf, listed } from './packages.js';

const here = '/-/admin/packages';

type Query = Pick<OverviewSearch, 'sort' | 'order'> & { readonly q: string; readonly type: string };

interface Entry extends PackageSummary {
  readonly owner: string;
  readonly href: string;
}

interface TableProps {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly query: Query;
  readonly formats: readonly PackageFormat[];
  readonly action: string;
}

function PackageTable({ entries, total, page, limit, query, formats, action }: TableProps): VNode {
  return (
    <SortedList
      title={t('list.title')}
      total={total}
      action={action}
      label={t('list.search')}
      query={query}
      filters={
        <select class="form-select" name="type" aria-label={t('list.format')}>
          <option value="">{t('list.allFormats')}</option>
          {formats.map((format) => (
            <option key={format.key} value={format.key} selected={format.key === query.type}>
              {format.label}
            </option>
          ))}
        </select>
      }
      columns={[
        { key: 'name', label: t('admin.name') },
        { label: t('list.format') },
        { key: 'versions', label: t('admin.versions'), first: 'desc' },
        { key: 'size', label: t('admin.size'), first: 'desc' },
        { key: 'published', label: t('admin.published'), first: 'desc' },
        { label: t('admin.actions'), hidden: true },
      ]}
      none={{ title: t('admin.none'), icon: 'package' }}
      page={page}
      limit={limit}
    >
      {entries.map(({ package: one, owner, href, versions, size, publishedAt }) => (
        <tr key={one.id}>
          <th scope="row" class="text-normal wb-break-word">
            {owner} /{' '}
            {versions > 0 ? (
              <a class="text-bold" href={href}>
                {one.name}
              </a>
            ) : (
              one.name
            )}
          </th>
          <td>
            <span class="Label">{one.type}</span>
          </td>
          <td>{formatNumber(versions)}</td>
          <td class="no-wrap">{formatSize(size)}</td>
          <td class="no-wrap">{publishedAt ? <Ago time={publishedAt} /> : null}</td>
          <td class="text-right">
            <PostButton
              action={action}
              fields={{ id: one.id }}
              label={t('admin.deleteOf', { name: one.name })}
              confirm={t('admin.deleteConfirm', { name: one.name, versions })}
              formClass="text-left"
              danger
            >
              {icon('trash')}
            </PostButton>
          </td>
        </tr>
      ))}
    </SortedList>
  );
}

interface Services {
  readonly accounts: Accounts;
  readonly adminPage: AdminPage;
  readonly database: Database;
  readonly formats: PointReader<PackageFormat>;
  readonly site: Site;
  readonly store: Store;
}

/** All packages of the site, for administrators: found, sorted by size and deleted. */
export function adminPackageRoutes({ accounts, adminPage, database, formats, site, store }: Services): Route[] {
  const access = { actor: 'admin' } as const;
  const query = Joi.object<Query & { readonly deleted?: string }>({
    q: Joi.string().allow('').max(255).default(''),
    type: Joi.string().allow('').max(32).default(''),
    sort: Joi.string()
      .valid(...overviewSorts)
      .default('name'),
    order: Joi.string().valid('asc', 'desc').default('asc'),
    deleted: Joi.string().allow(''),
  });

  const page = async (context: RouteContext, asked: Query, flash?: Flash) => {
    const { actor } = context;
    const { page: number, limit, offset } = context.page;
    const { items, total } = await packageOverview(database, { ...asked, text: asked.q, limit, offset });
    const owners = await accounts.byIds([...new Set(items.map((item) => item.package.ownerId))]);
    const entries = items.flatMap((item): Entry[] => {
      const owner = owners.get(item.package.ownerId);
      return owner ? [{ ...item, owner: owner.name, href: addressOf(site, owner, item.package) }] : [];
    });
    return adminPage({
      active: 'packages',
      title: t.later('list.title'),
      actor,
      flash,
      status: formStatus(flash),
      body: (
        <PackageTable
          entries={entries}
          total={total}
          page={number}
          limit={limit}
          query={asked}
          formats={listed(formats)}
          action={site.path(here)}
        />
      ),
    });
  };

  return [
    pageRoute(
      here,
      access,
      (context) => {
        const { deleted, ...asked } = context.query;
        return page(context, asked, savedFlash({ deleted }));
      },
      { query },
    ),
    formRoute(
      here,
      access,
      async ({ actor }, values) => {
        const id = Number(formText(values, 'id'));
        const found = (await store.byIds(Number.isSafeInteger(id) ? [id] : [])).get(id);
        if (!found) throw NotFound('package');
        await deleteByHand({ database, formats, store }, found, undefined, actor);
        return listHref(site.path(here), { deleted: found.name });
      },
      (context, _values, flash) => page(context, { q: '', type: '', sort: 'name', order: 'asc' }, flash),
    ),
  ];
}
