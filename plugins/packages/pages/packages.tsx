import {
  Joi,
  listHref,
  NotFound,
  pageRoute,
  postRoute,
  reply,
  savedFlash,
  webPage,
  type Access,
  type Actor,
  type Database,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, ProfileTab } from '@mortise/accounts/api';
import { markupIslands } from '@mortise/markup/api';
import { repositoryResource, type Repositories, type RepositoryPages } from '@mortise/repositories/api';
import type { Package, PackageAccess, PackageFormat, PackageView, PackageVersion } from '../api.js';
import { packageResource, type PackageResource } from '../routes/package-resource.js';
import { deleteByHand } from '../services/deletion.js';
import type { ReadmeRenderer } from '../services/readme.js';
import { packageRank } from '../services/access.js';
import { pathSegment, type Store } from '../services/store.js';
import { t } from '../texts/index.js';
import { AllPackages, OwnerPackages, PackageList, PackageVersionPage } from './views.js';

interface PageDeps {
  readonly store: Store;
  readonly access: PackageAccess;
  readonly repositories: Repositories;
  readonly repositoryPages: RepositoryPages;
  readonly site: Site;
  readonly formats: PointReader<PackageFormat>;
  readonly readmes: PointReader<ReadmeRenderer>;
  readonly database: Database;
}

type Named = Pick<Package, 'type' | 'lowerName'>;

export const addressOf = (site: Site, owner: Account, { type, lowerName }: Named, version?: PackageVersion) =>
  site.path(
    `/${owner.name}/-/packages/${[type, lowerName, ...(version ? [version.lowerVersion] : [])].map(pathSegment).join('/')}`,
  );

const besides = (site: Site, owner: Account, page: string, { type, lowerName }: Named) =>
  site.path(`/${owner.name}/-/packages/${[page, type, lowerName].map(pathSegment).join('/')}`);

/** Where a package is linked and deleted. */
export const settingsOf = (site: Site, owner: Account, named: Named) => besides(site, owner, 'settings', named);

/** Where all versions of a package are listed. */
export const versionsOf = (site: Site, owner: Account, named: Named) => besides(site, owner, 'versions', named);

/** Where the clean-up rules of an owner are. */
export const rulesHref = (site: Site, owner: Account): string => site.path(`/${owner.name}/-/package-rules`);

/** In the order that menus show them. */
export const listed = (formats: PointReader<PackageFormat>) =>
  [...formats.list()].sort((a, b) => (a.order ?? 100) - (b.order ?? 100) || a.label.localeCompare(b.label));

type Found = Awaited<ReturnType<Store['search']>>['items'];

/** With the versions that their registries call the latest, where those know such a thing. */
async function withLatest(items: Found, formats: PointReader<PackageFormat>): Promise<Found> {
  const types = [...new Set(items.map((item) => item.package.type))];
  const latest = await Promise.all(
    types.map((type) =>
      formats.get(type)?.latest?.(items.filter((item) => item.package.type === type).map((item) => item.package)),
    ),
  );
  return items.map((item) => ({
    ...item,
    version: latest[types.indexOf(item.package.type)]?.get(item.package.id) ?? item.version,
  }));
}

/** Packages on the page of their owner. */
export function packageTab({
  store,
  access,
  site,
  formats,
}: {
  store: Store;
  access: PackageAccess;
  site: Site;
  formats: PointReader<PackageFormat>;
}): ProfileTab {
  const limit = 20;
  return {
    key: 'packages',
    label: t.later('list.title'),
    icon: 'package',
    order: 60,
    render: async ({ account, actor }) => {
      const mayRead = (await access.mode(actor, account)) !== 'none';
      const open = !(await access.hasPart(actor, account));
      const { items } = mayRead
        ? await store.search({ ownerId: account.id, open, latest: true, limit, offset: 0 })
        : { items: [] };
      const entries = (await withLatest(items, formats)).map((item) => ({
        ...item,
        owner: account,
        href: addressOf(site, account, item.package, item.version),
      }));
      const action = site.path(`/${account.name}/-/packages`);
      return (
        <>
          <PackageList
            entries={entries}
            total={entries.length}
            page={1}
            limit={limit}
            query={{}}
            formats={listed(formats)}
            action={action}
          />
          {entries.length === limit ? <AllPackages href={action} /> : null}
        </>
      );
    },
  };
}

const text = Joi.string().required();
interface ListQuery {
  readonly deleted?: string;
  readonly type?: string;
  readonly q?: string;
}
const listQuery = Joi.object<ListQuery>({
  deleted: Joi.string().allow(''),
  type: Joi.string().allow(''),
  q: Joi.string().allow(''),
}).unknown();

interface VersionParams {
  readonly owner: string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
}

const root = '/{owner}/-/packages';

const one = `${root}/{type}/{name}/{version}`;

const read: Access<PackageResource> = { actor: 'anyone', resource: packageResource, mode: 'read' };

const versionFields = { owner: text, type: text, name: text, version: text };

const versionParams = Joi.object<VersionParams>(versionFields);

/** What these routes share. */
function packageContext({ store, access, repositories, repositoryPages, site, formats, readmes, database }: PageDeps) {
  const address = (owner: Account, named: Named, version?: PackageVersion) => addressOf(site, owner, named, version);
  const found = async (
    context: RouteContext<unknown, unknown, ListQuery>,
    where: { ownerId?: number; repositoryId?: number; open: boolean },
    owner: Account,
    action: string,
  ) => {
    const { limit, offset, page } = context.page;
    const { items, total } = await store.search({
      ...where,
      type: context.query.type || undefined,
      text: context.query.q,
      latest: true,
      limit,
      offset,
    });
    const entries = (await withLatest(items, formats)).map((item) => ({
      ...item,
      owner,
      href: address(owner, item.package, item.version),
    }));
    return (
      <PackageList
        entries={entries}
        total={total}
        page={page}
        limit={limit}
        query={context.query}
        formats={listed(formats)}
        action={action}
      />
    );
  };
  const viewOf = async (
    { owner, package: package_, version }: PackageResource,
    actor: Actor,
  ): Promise<PackageView> => ({
    owner,
    package: package_!,
    version: version!,
    versions: (await store.bareVersions(package_!.id)).filter((other) => !other.isInternal),
    files: (await store.files([version!.id])).get(version!.id) ?? [],
    baseUrl: site.url(`/api/packages/${encodeURIComponent(owner.name)}/${package_!.type}`),
    host: new URL(site.rootUrl).host,
    actor,
  });
  return { found, site, formats, store, address, viewOf, repositories, readmes, database, access, repositoryPages };
}

type PackagePageContext = ReturnType<typeof packageContext>;

const packageList = ({ found, site }: PackagePageContext) =>
  pageRoute(
    root,
    read,
    async (context) => {
      const { owner, hasPart, mode } = context.resource;
      const where = { ownerId: owner.id, open: !hasPart };
      const list = await found(context, where, owner, site.path(`/${owner.name}/-/packages`));
      return webPage({
        title: t.later('list.of', { name: owner.name }),
        flash: savedFlash(context.query),
        body: (
          <OwnerPackages
            name={owner.name}
            href={site.path(`/${owner.name}`)}
            rulesHref={context.actor.kind === 'user' && mode === 'owner' ? rulesHref(site, owner) : undefined}
          >
            {list}
          </OwnerPackages>
        ),
      });
    },
    { params: Joi.object<{ readonly owner: string }>({ owner: text }), query: listQuery },
  );

const packagePage = ({ formats, store, address }: PackagePageContext) =>
  pageRoute(
    `${root}/{type}/{name}`,
    read,
    async ({ resource }) => {
      const { id, type } = resource.package!;
      // as the registry says it, where a format has names for versions
      const latest = (await formats.get(type)?.tags?.(resource.package!))?.latest;
      const version = (latest && (await store.findVersion(id, latest))) || (await store.latest(id));
      if (!version) throw NotFound('package version');
      return reply.redirect(address(resource.owner, resource.package!, version), 302);
    },
    {
      params: Joi.object<{ readonly owner: string; readonly type: string; readonly name: string }>({
        owner: text,
        type: text,
        name: text,
      }),
    },
  );

const versionPage = ({ viewOf, formats, repositories, readmes, site, address }: PackagePageContext) =>
  pageRoute(
    one,
    read,
    async ({ resource, actor, remoteAddress }) => {
      const view = await viewOf(resource, actor);
      const canWrite = actor.kind === 'user' && packageRank[resource.mode] >= packageRank.write;
      const format = formats.get(view.package.type);
      const { instructions: Instructions, about: About } = format ?? {};
      const linked = view.package.repositoryId ? await repositories.byId(view.package.repositoryId) : undefined;
      // a private repository is shown only to users who may change the package
      const visible = linked && (!linked.isPrivate || packageRank[resource.mode] >= packageRank.write);
      const readme = format?.readme?.(view);
      const html = readme && (await readmes.list()[0]?.render(readme, { actor, remoteAddress }));
      return webPage({
        title: `${view.package.name} ${view.version.version}`,
        islands: html ? markupIslands : [],
        body: (
          <PackageVersionPage
            listHref={site.path(`/${view.owner.name}/-/packages`)}
            view={view}
            base={address(view.owner, view.package, view.version)}
            versionHref={(version) => address(view.owner, view.package, version)}
            versionsHref={versionsOf(site, view.owner, view.package)}
            settingsHref={canWrite ? settingsOf(site, view.owner, view.package) : undefined}
            repository={
              visible
                ? {
                    name: `${linked.ownerName}/${linked.name}`,
                    href: site.path(`/${linked.ownerName}/${linked.name}`),
                  }
                : undefined
            }
            instructions={Instructions && <Instructions {...view} />}
            about={About && <About {...view} />}
            readme={readme && { html, text: readme.text }}
            tags={(await format?.tags?.(view.package)) ?? {}}
            canWrite={canWrite}
          />
        ),
      });
    },
    { params: versionParams },
  );

const fileDownload = ({ store }: PackagePageContext) =>
  pageRoute(
    `${one}/files/{file}`,
    read,
    async ({ resource, params, headers, raw }) => {
      const file = (await store.files([resource.version!.id]))
        .get(resource.version!.id)
        ?.find((each) => each.id === params.file);
      if (!file) throw NotFound('file');
      return store.download(file, { method: raw.request.method.toUpperCase(), headers });
    },
    {
      params: Joi.object<VersionParams & { readonly file: number }>({
        ...versionFields,
        file: Joi.number().integer().required(),
      }),
    },
  );

const deleteVersion = ({ database, formats, store, site }: PackagePageContext) =>
  postRoute(
    `${one}/delete`,
    { actor: 'user', resource: packageResource, mode: 'write' },
    async ({ resource, actor }) => {
      await deleteByHand({ database, formats, store }, resource.package!, resource.version, actor);
      const deleted = `${resource.package!.name} ${resource.version!.version}`;
      return reply.redirect(listHref(site.path(`/${resource.owner.name}/-/packages`), { deleted }));
    },
    { params: versionParams },
  );

const repositoryPackages = ({ found, access, site, repositoryPages }: PackagePageContext) =>
  pageRoute(
    '/{owner}/{repo}/packages',
    { actor: 'anyone', resource: repositoryResource, unit: 'packages', mode: 'read' },
    async (context) => {
      const { repository, owner } = context.resource;
      const body = await found(
        context,
        { repositoryId: repository.id, open: !(await access.hasPart(context.actor, owner)) },
        owner,
        site.path(`/${repository.ownerName}/${repository.name}/packages`),
      );
      return repositoryPages.page({ context: context.resource, actor: context.actor }, 'packages', {
        title: t.later('list.title'),
        body,
      });
    },
    {
      params: Joi.object<{ readonly owner: string; readonly repo: string }>({ owner: text, repo: text }),
      query: listQuery,
    },
  );

/** Pages of packages below their owner, and the tab of a repository. */
export function packagePages(deps: PageDeps): readonly Route[] {
  const context = packageContext(deps);
  return [
    packageList(context),
    packagePage(context),
    versionPage(context),
    fileDownload(context),
    deleteVersion(context),
    repositoryPackages(context),
  ];
}
