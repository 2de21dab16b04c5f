import type { VNode } from 'preact';
import {
  checkTypedName,
  Ago,
  Csrf,
  defineRoute,
  pageRoute,
  formatNumber,
  formRoute,
  formStatus,
  formText,
  Invalid,
  Joi,
  lastPage,
  listHref,
  Pager,
  PostButton,
  Problem,
  savedFlash,
  Section,
  TextField,
  webPage,
  type Access,
  type Database,
  type Flash,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { Package, PackageFormat, PackageVersion } from '../api.js';
import { packageResource, type PackageResource } from '../routes/package-resource.js';
import { deleteByHand } from '../services/deletion.js';
import { linkPackage, unlinkPackage } from '../services/linking.js';
import type { Store } from '../services/store.js';
import { t } from '../texts/index.js';
import { addressOf, settingsOf, versionsOf } from './packages.js';

interface SettingsDeps {
  readonly database: Database;
  readonly formats: PointReader<PackageFormat>;
  readonly store: Store;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
}

/** Names of repositories that are offered while one is typed. */
const maxOffered = 100;

interface LinkProps {
  /** Undefined: none. `name` is missing where the reader may not see it. */
  readonly linked: { readonly name?: string; readonly href?: string } | undefined;
  readonly offered: readonly string[];
  readonly typed: string;
  readonly here: string;
}

const LinkForm = ({ linked, offered, typed, here }: LinkProps): VNode => (
  <Section title={t('settings.link')}>
    <p>{t('settings.linkNote')}</p>
    {linked ? (
      <>
        <p>
          {linked.name === undefined
            ? t('settings.linkedHidden')
            : t.rich('settings.linked', {
                repository: linked.name,
                link: (words) => (
                  <a class="text-underline" href={linked.href}>
                    {words}
                  </a>
                ),
              })}
        </p>
        <PostButton action={here} fields={{ action: 'unlink' }}>
          {t('settings.unlink')}
        </PostButton>
      </>
    ) : (
      <form method="post" action={here}>
        <Csrf />
        <input type="hidden" name="action" value="link" />
        <TextField
          name="repo_name"
          label={t('settings.repository')}
          value={typed}
          required
          maxLength={100}
          autocapitalize="none"
          list="offered-repositories"
        />
        <datalist id="offered-repositories">
          {offered.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <button class="btn btn-primary" type="submit">
          {t('settings.doLink')}
        </button>
      </form>
    )}
  </Section>
);

interface NamedParams {
  readonly owner: string;
  readonly type: string;
  readonly name: string;
}
const text = Joi.string().required();
const params = Joi.object<NamedParams>({ owner: text, type: text, name: text });

const path = '/{owner}/-/packages/settings/{type}/{name}';

const access: Access<PackageResource> = { actor: 'user', resource: packageResource, mode: 'write' };

/** What these routes share. */
function settingsContext({ database, formats, store, repositories, repositoryAccess, site }: SettingsDeps) {
  const linkOf = async ({ resource, actor }: Pick<RouteContext<PackageResource>, 'resource' | 'actor'>) => {
    const { repositoryId } = resource.package!;
    const repository = repositoryId ? await repositories.byId(repositoryId) : undefined;
    if (!repository) return repositoryId ? {} : undefined;
    if ((await repositoryAccess.context(actor, repository)).mode === 'none') return {};
    const name = `${repository.ownerName}/${repository.name}`;
    return { name, href: site.path(`/${name}`) };
  };
  const page = async (
    context: Pick<RouteContext<PackageResource>, 'resource' | 'actor'>,
    typed = '',
    flash?: Flash,
  ) => {
    const { resource, actor } = context;
    const package_ = resource.package!;
    const here = settingsOf(site, resource.owner, package_);
    const linked = await linkOf(context);
    const own = { ownerId: resource.owner.id, exclusive: true, sort: 'alpha', limit: maxOffered, offset: 0 } as const;
    const offered = linked ? [] : (await repositories.search(own, actor)).items.map(({ name }) => name);
    return webPage({
      title: t.later('settings.of', { name: package_.name }),
      flash,
      status: formStatus(flash),
      body: (
        <SettingsPage
          package={package_}
          versions={(await store.search({ packageId: package_.id, limit: 1, offset: 0 })).total}
          home={addressOf(site, resource.owner, package_)}
          link={{ linked, offered, typed, here }}
        />
      ),
    });
  };
  return { page, store, repositories, repositoryAccess, database, formats, site };
}

type SettingsPageContext = ReturnType<typeof settingsContext>;

const packageSettings = ({ page }: SettingsPageContext) =>
  pageRoute(path, access, (context) => page(context, '', savedFlash(context.query)), {
    params,
    query: Joi.object<{ readonly saved?: string }>({ saved: Joi.string().allow('') }),
  });

const savePackageSettings = ({
  store,
  repositories,
  repositoryAccess,
  database,
  formats,
  site,
  page,
}: SettingsPageContext) =>
  formRoute(
    path,
    access,
    async ({ resource, actor }, values) => {
      const package_ = resource.package!;
      switch (formText(values, 'action')) {
        case 'link':
          await linkPackage(
            { store, repositories, repositoryAccess },
            resource.owner,
            package_,
            formText(values, 'repo_name', 100),
            actor,
          ).catch((error: unknown) => {
            if (!Problem.is(error) || (error.code !== 'not_found' && error.code !== 'forbidden')) throw error;
            const said = t.later('error.noRepository');
            throw Invalid(error.message, { text: said, inputs: { repo_name: said } });
          });
          break;
        case 'unlink':
          await unlinkPackage(store, package_);
          break;
        case 'delete':
          checkTypedName(values, package_.name);
          await deleteByHand({ database, formats, store }, package_, undefined, actor);
          return listHref(site.path(`/${resource.owner.name}/-/packages`), { deleted: package_.name });
        default:
          throw Invalid(t.later('error.choice'));
      }
      return listHref(settingsOf(site, resource.owner, package_), { saved: 1 });
    },
    (context, values, flash) => page(context, formText(values, 'repo_name', 100), flash),
  );

const versionList = ({ store, site }: SettingsPageContext) =>
  defineRoute({
    method: 'GET',
    // not below the package, where a version may have this name
    path: '/{owner}/-/packages/versions/{type}/{name}',
    surface: 'page',
    access: { actor: 'anyone', resource: packageResource, mode: 'read' },
    request: { params },
    handler: async ({ resource, page: { page: number, limit, offset } }) => {
      const package_ = resource.package!;
      const { items, total } = await store.search({ packageId: package_.id, limit, offset });
      const home = addressOf(site, resource.owner, package_);
      return webPage({
        title: t.later('versions.of', { name: package_.name }),
        body: (
          <VersionsPage
            package={package_}
            versions={items.map(({ version }) => version)}
            total={total}
            page={number}
            limit={limit}
            home={home}
            here={versionsOf(site, resource.owner, package_)}
            href={(version) => addressOf(site, resource.owner, package_, version)}
          />
        ),
      });
    },
  });

/** Settings of a package, for those who may change it, and the list of its versions (reference: 1.13). */
export function settingsPages(deps: SettingsDeps): readonly Route[] {
  const context = settingsContext(deps);
  return [packageSettings(context), savePackageSettings(context), versionList(context)];
}

interface VersionsProps {
  readonly package: Package;
  readonly versions: readonly PackageVersion[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly home: string;
  readonly here: string;
  readonly href: (version: PackageVersion) => string;
}

const VersionsPage = ({ package: package_, versions, total, page, limit, home, here, href }: VersionsProps): VNode => (
  <div>
    <p>
      <a href={home}>{package_.name}</a>
    </p>
    <Section level={1} title={t('version.versions', { count: total })}>
      <VersionTable versions={versions} href={href} />
      <Pager page={page} last={lastPage(total, limit)} href={(to) => `${here}?page=${to}`} />
    </Section>
  </div>
);

interface SettingsProps {
  readonly package: Package;
  readonly versions: number;
  readonly home: string;
  readonly link: LinkProps;
}

const SettingsPage = ({ package: package_, versions, home, link }: SettingsProps): VNode => (
  <div>
    <p>
      <a href={home}>{package_.name}</a>
    </p>
    <Section level={1} title={t('settings.title')} />
    <LinkForm {...link} />
    <Section title={t('settings.delete')} danger>
      <p>{t('settings.deleteNote')}</p>
      <PostButton
        action={link.here}
        fields={{ action: 'delete' }}
        danger
        confirm={t('admin.deleteConfirm', { name: package_.name, versions })}
        formClass="confirm-start"
        typed={package_.name}
      >
        {t('settings.delete')}
      </PostButton>
    </Section>
  </div>
);

const VersionTable = ({
  versions,
  href,
}: {
  readonly versions: readonly PackageVersion[];
  readonly href: (version: PackageVersion) => string;
}): VNode => (
  <table class="data-table width-full">
    <thead>
      <tr>
        <th scope="col" class="text-left">
          {t('versions.version')}
        </th>
        <th scope="col" class="text-left">
          {t('versions.published')}
        </th>
        <th scope="col" class="text-right">
          {t('versions.downloads')}
        </th>
      </tr>
    </thead>
    <tbody>
      {versions.map((version) => (
        <tr key={version.id}>
          <th scope="row" class="text-left text-normal wb-break-word">
            <a href={href(version)}>{version.version}</a>
          </th>
          <td class="no-wrap">
            <Ago time={version.createdAt} />
          </td>
          <td class="text-right">{formatNumber(version.downloadCount)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
