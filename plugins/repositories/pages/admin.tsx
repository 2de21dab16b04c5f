import type { VNode } from 'preact';
import {
  Ago,
  pageRoute,
  formatSize,
  formRoute,
  formStatus,
  icon,
  Joi,
  listHref,
  NotFound,
  PostButton,
  savedFlash,
  SortedList,
  type Flash,
  type Route,
  type RouteContext,
  type SortOrder,
  checkTypedName,
  formId,
} from '@mortise/plugin-sdk';
import type { AdminPage } from '@mortise/admin/api';
import type { RepositoryStorages } from '@mortise/git/api';
import type { Repository } from '../api.js';
import type { RepositorySearch } from '../contract/repositories.js';
import type { AccessService } from '../services/access.js';
import { t } from '../texts/index.js';
import { Kind } from './list.js';
import type { PageDeps } from './page-deps.js';
import { StorageList } from './storages.js';

const here = '/-/admin/repositories';
const sorts = ['path', 'size', 'created', 'updated'] as const;

type Query = {
  readonly q: string;
  readonly sort: (typeof sorts)[number];
  readonly order: SortOrder;
};

interface ListProps {
  readonly repositories: readonly Repository[];
  readonly storageById: ReadonlyMap<number, string | undefined>;
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly query: Query;
  readonly path: (path: string) => string;
}

function RepositoryTable({ repositories, storageById, total, page, limit, query, path }: ListProps): VNode {
  return (
    <SortedList
      title={t('menu.repositories')}
      total={total}
      note={
        <p class="color-fg-muted">
          {t.rich('admin.note', { link: (text) => <a href={path('/-/admin/tasks')}>{text}</a> })}
        </p>
      }
      action={path(here)}
      label={t('search.placeholder')}
      query={query}
      columns={[
        { key: 'path', label: t('repo.name') },
        { key: 'size', label: t('admin.size'), first: 'desc' },
        { key: 'created', label: t('admin.created'), first: 'desc' },
        { key: 'updated', label: t('admin.updated'), first: 'desc' },
        { label: t('admin.actions'), hidden: true },
      ]}
      none={{ title: t('admin.none'), icon: 'repo' }}
      page={page}
      limit={limit}
    >
      {repositories.map((repository) => (
        <RepositoryRow
          key={repository.id}
          repository={repository}
          storage={storageById.get(repository.id)}
          path={path}
        />
      ))}
    </SortedList>
  );
}

interface RowProps extends Pick<ListProps, 'path'> {
  readonly repository: Repository;
  /** The name of the disk that it lies on, where there are several. */
  readonly storage: string | undefined;
}

function RepositoryRow({ repository, storage, path }: RowProps): VNode {
  const name = `${repository.ownerName}/${repository.name}`;
  return (
    <tr>
      <th scope="row" class="text-normal">
        <a class="text-bold wb-break-word" href={path(`/${name}`)}>
          {name}
        </a>{' '}
        <Kind repository={repository} /> {storage && <span class="Label">{storage}</span>}
      </th>
      <td class="no-wrap">{formatSize(repository.sizeBytes)}</td>
      <td class="no-wrap">
        <Ago time={repository.createdAt} />
      </td>
      <td class="no-wrap">
        <Ago time={repository.updatedAt} />
      </td>
      <td class="text-right no-wrap">
        <a class="btn btn-sm mr-1" href={path(`/${name}/settings`)} aria-label={t('admin.settingsOf', { name })}>
          {icon('gear')}
        </a>
        <PostButton
          action={path(here)}
          fields={{ id: repository.id }}
          label={t('admin.deleteOf', { name })}
          confirm={t('admin.deleteConfirm', { name })}
          typed={name}
          formClass="text-left"
          danger
        >
          {icon('trash')}
        </PostButton>
      </td>
    </tr>
  );
}

/** All repositories of the site, for administrators: found, sorted and deleted. */
export function adminPageRoutes(
  services: Pick<PageDeps, 'repositories' | 'presenter' | 'site'> & {
    readonly adminPage: AdminPage;
    readonly access: Pick<AccessService, 'context'>;
    readonly storages: Pick<RepositoryStorages, 'list' | 'storageOf'>;
    readonly perPage: number;
    readonly includeDescription: boolean;
  },
): readonly Route[] {
  const { repositories, presenter, site, adminPage, storages, perPage, includeDescription } = services;
  const access = { actor: 'admin' } as const;
  const path = (to: string) => site.path(to);
  const query = Joi.object<Query & { readonly deleted?: string }>({
    q: Joi.string().allow('').max(255).default(''),
    sort: Joi.string()
      .valid(...sorts)
      .default('path'),
    order: Joi.string().valid('asc', 'desc').default('asc'),
    deleted: Joi.string().allow(''),
  });

  const page = async (context: RouteContext, asked: Query, flash?: Flash) => {
    const { actor } = context;
    const { page: number } = context.page;
    const search: RepositorySearch = {
      text: asked.q || undefined,
      includeDescription,
      sort: asked.sort,
      descending: asked.order === 'desc',
      limit: perPage,
      offset: (number - 1) * perPage,
    };
    const { items, total } = await repositories.search(search, actor);
    const all = await storages.list();
    const lying = all.length < 2 ? [] : items;
    const storageById = new Map(
      await Promise.all(lying.map(async ({ id }) => [id, await storages.storageOf(id)] as const)),
    );
    return adminPage({
      active: 'repositories',
      title: t.later('menu.repositories'),
      actor,
      flash,
      status: formStatus(flash),
      body: (
        <>
          <StorageList storages={all} />
          <RepositoryTable
            repositories={items}
            storageById={storageById}
            total={total}
            page={number}
            limit={perPage}
            query={asked}
            path={path}
          />
        </>
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
        const repository = await repositories.byId(formId(values, 'id'));
        if (!repository) throw NotFound('repository');
        const context = await services.access.context(actor, repository);
        if (!context.may('owner')) throw NotFound('repository');
        checkTypedName(values, `${repository.ownerName}/${repository.name}`);
        await repositories.delete(repository, actor.id, await presenter.ofContext(context, actor));
        return listHref(path(here), { deleted: `${repository.ownerName}/${repository.name}` });
      },
      (context, _values, flash) => page(context, { q: '', sort: 'path', order: 'asc' }, flash),
    ),
  ];
}
