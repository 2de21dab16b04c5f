import type { VNode } from 'preact';
import {
  Csrf,
  Joi,
  pageRoute,
  Problem,
  Section,
  type CataloguePlugin,
  type Flash,
  type PluginCatalogue,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { AdminPage } from '../api.js';
import { t } from '../texts/index.js';

const maxWords = 200;

interface ListProps {
  readonly plugins: readonly CataloguePlugin[];
  readonly action: string;
  readonly canInstall: boolean;
}

/** Fetches and tries this version, and shows what it brings before anything changes. */
const InstallButton = ({ plugin, action }: { readonly plugin: CataloguePlugin; readonly action: string }): VNode => {
  const kind = plugin.isUpdate ? 'update' : 'add';
  return (
    <form method="post" action={`${action}/install`} encType="multipart/form-data">
      <Csrf />
      <input type="hidden" name="package" value={`${plugin.packageName}@${plugin.version}`} />
      <button class="btn btn-sm" type="submit" aria-label={t(`changes.title.${kind}`, { name: plugin.packageName })}>
        {t(`changes.button.${kind}`)}
      </button>
    </form>
  );
};

const CatalogueList = ({ plugins, action, canInstall }: ListProps): VNode => (
  <table class="data-table mb-3">
    <thead>
      <tr>
        <th scope="col">{t('changes.package')}</th>
        <th scope="col">{t('plugins.version')}</th>
        <th scope="col">{t('plugins.description')}</th>
        <th scope="col">{t('catalogue.publisher')}</th>
        <th scope="col">
          <span class="sr-only">{t('plugins.actions')}</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {plugins.map((plugin) => (
        <tr key={plugin.packageName}>
          <td class="text-mono wb-break-word">{plugin.packageName}</td>
          <td class="no-wrap">{plugin.isUpdate ? `${plugin.installed} → ${plugin.version}` : plugin.version}</td>
          <td class="wb-break-word">
            <bdi>{plugin.description}</bdi>
          </td>
          <td class="wb-break-word">
            <bdi>{plugin.publisher}</bdi>
          </td>
          <td class="text-right">
            {!plugin.isAllowed ? (
              t('catalogue.notAllowed')
            ) : plugin.installed !== undefined && !plugin.isUpdate ? (
              t('catalogue.installed')
            ) : canInstall ? (
              <InstallButton plugin={plugin} action={action} />
            ) : null}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

interface CatalogueProps extends Pick<ListProps, 'action' | 'canInstall'> {
  readonly host: string;
  readonly words: string | undefined;
  readonly found: readonly CataloguePlugin[];
  readonly updates: readonly CataloguePlugin[];
}

const Catalogue = ({ host, words, found, updates, ...list }: CatalogueProps): VNode => (
  <>
    {updates.length > 0 ? (
      <Section title={t('catalogue.updates')}>
        <CatalogueList plugins={updates} {...list} />
      </Section>
    ) : null}
    <Section title={t('catalogue.title')}>
      <p class="color-fg-muted">{t('catalogue.note', { host })}</p>
      <form
        class="d-flex flex-wrap flex-items-end gap-2 mb-3"
        role="search"
        method="get"
        action={`${list.action}/catalogue`}
      >
        <label>
          {t('catalogue.words')}{' '}
          <input class="form-control" type="search" name="q" value={words} maxLength={maxWords} />
        </label>
        <button class="btn" type="submit">
          {t('catalogue.search')}
        </button>
      </form>
      {found.length > 0 ? (
        <CatalogueList plugins={found} {...list} />
      ) : words === undefined ? null : (
        <p>{t('catalogue.none')}</p>
      )}
      <a href={list.action}>{t('plugins.title')}</a>
    </Section>
  </>
);

const CatalogueOff = (): VNode => (
  <Section title={t('catalogue.title')}>
    <p>{t.rich('catalogue.off', { setting: <code>[plugins] CATALOGUE_URL</code> })}</p>
  </Section>
);

/** On the page of the plugins that are here. */
export const CatalogueLink = ({ action }: { readonly action: string }): VNode => (
  <p>
    <a href={`${action}/catalogue`}>{t('catalogue.title')}</a>
  </p>
);

/** What the registry cannot be asked for is said on the page. */
async function askedOf<T>(ask: Promise<readonly T[]>, flashes: Flash[]): Promise<readonly T[]> {
  try {
    return await ask;
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'unavailable')) throw error;
    flashes.push({ kind: 'error', text: t.later('catalogue.failed', { reason: error.message }) });
    return [];
  }
}

interface Services {
  readonly adminPage: AdminPage;
  readonly catalogue: PluginCatalogue;
  readonly canInstall: () => boolean;
  readonly site: Site;
}

/** The page that looks for plugins and newer versions in the package registry, where the settings name one. */
export function pluginCataloguePages({ adminPage, catalogue, canInstall, site }: Services): readonly Route[] {
  return [
    pageRoute(
      '/-/admin/plugins/catalogue',
      { actor: 'admin' },
      async ({ actor, query: { q } }) => {
        const { host } = catalogue;
        const flashes: Flash[] = [];
        const [found, updates] =
          host === undefined
            ? [[], []]
            : await Promise.all([
                q === undefined ? [] : askedOf(catalogue.search(q), flashes),
                askedOf(catalogue.updates(), flashes),
              ]);
        return adminPage({
          active: 'plugins',
          title: t.later('catalogue.title'),
          actor,
          flash: flashes[0],
          body:
            host === undefined ? (
              <CatalogueOff />
            ) : (
              <Catalogue
                host={host}
                words={q}
                found={found}
                updates={updates}
                action={site.path('/-/admin/plugins')}
                canInstall={canInstall()}
              />
            ),
        });
      },
      { query: Joi.object<{ readonly q?: string }>({ q: Joi.string().trim().allow('').max(maxWords) }) },
    ),
  ];
}
