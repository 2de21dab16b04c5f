import {
  icon,
  FragmentCache,
  textOf,
  type NavigationItem,
  type PageOptions,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { FooterSettings } from '../http/settings.js';
import { t } from '../texts/index.js';
import { Logo } from './logo.js';
import type { SiteBranding } from './site-branding.js';

export interface LanguageChoice {
  /** Name of the language of the page. */
  readonly current: string;
  /** The same page in each language. */
  readonly offered: readonly { readonly tag: string; readonly name: string; readonly href: string }[];
  /** Address where who is signed in chooses it. */
  readonly settings?: string;
}

interface ShellProps {
  readonly site: Site;
  readonly look: SiteBranding;
  readonly page: PageOptions;
  readonly footer: Readonly<FooterSettings>;
  readonly navigation: readonly NavigationItem[];
  /** Entries of the `+` menu. */
  readonly create: readonly NavigationItem[];
  readonly userMenu: readonly VNode[];
  /** Address of the search, when a plugin answers it. */
  readonly searchPath?: string;
  readonly hasViewer: boolean;
  readonly languages: LanguageChoice;
}

const widths = { normal: 'site-main', narrow: 'site-main site-main-narrow', full: 'site-main site-main-full' };
const flashKinds = { success: 'flash-success', error: 'flash-error', info: '' };
const flashIcons = { success: 'check', error: 'alert', info: 'info' };

/** What stands in the body of every page. */
export function Shell(props: ShellProps) {
  const { site, look, page, footer, navigation, create, userMenu, searchPath, hasViewer, languages } = props;
  const links = { site, look, items: navigation, active: page.active };
  return (
    <>
      <a class="skip-link" href="#main">
        {t('shell.skip')}
      </a>
      <header class="site-top">
        <FragmentCache name="core.top" cacheKey={topOf(links, searchPath)}>
          {() => <Top {...links} searchPath={searchPath} />}
        </FragmentCache>
        <div class="site-user">
          {create.length > 0 ? <CreateMenu site={site} entries={create} /> : null}
          {userMenu}
        </div>
      </header>
      {page.flash ? <Flash {...page.flash} /> : null}
      <main id="main" tabIndex={-1} class={widths[page.width ?? 'normal']}>
        {page.body}
      </main>
      <footer class="site-footer">
        <Origin site={site} shows={footer} />
        {hasViewer ? <a href={site.path('/api/swagger')}>{t('shell.api')}</a> : null}
        <a href={site.path('/-/shortcuts')}>{t('shortcuts.title')}</a>
        <LanguageSwitch {...languages} />
      </footer>
    </>
  );
}

/** The name of a site that was given none. */
const product = 'Mortise';

/** What the page was made with. */
function Origin({ site, shows }: { readonly site: Site; readonly shows: Readonly<FooterSettings> }): VNode | null {
  const { name, version } = site;
  const isNamed = shows.SHOW_FOOTER_POWERED_BY;
  if (!shows.SHOW_FOOTER_VERSION)
    return isNamed ? <span>{name === product ? product : t('shell.poweredBy')}</span> : null;
  if (!isNamed) return <span>{t('shell.version', { version })}</span>;
  return <span>{t(name === product ? 'shell.namedVersion' : 'shell.poweredByVersion', { version })}</span>;
}

const topOf = ({ items, active }: NavigationProps, searchPath: string | undefined): string =>
  JSON.stringify([active, searchPath, ...items.map(({ href, icon, label }) => [href, icon, textOf(label)])]);

interface TopProps extends NavigationProps {
  readonly look: SiteBranding;
  readonly searchPath: string | undefined;
}

function Top({ site, look, items, active, searchPath }: TopProps) {
  return (
    <>
      <a class="site-brand" href={site.path('/')}>
        <Logo look={look} /> <span>{site.name}</span>
      </a>
      <nav class="site-nav" aria-label={t('shell.navigation')}>
        <Navigation site={site} items={items} active={active} />
      </nav>
      {searchPath ? <Search action={site.path(searchPath)} /> : null}
      {items.length > 0 || searchPath ? (
        <details class="site-menu dropdown">
          <summary class="site-button" aria-label={t('shell.menu')}>
            {icon('three-bars')}
          </summary>
          <div class="dropdown-menu dropdown-menu-sw">
            {searchPath ? <Search action={site.path(searchPath)} /> : null}
            <nav aria-label={t('shell.navigation')}>
              <Navigation site={site} items={items} active={active} />
            </nav>
          </div>
        </details>
      ) : null}
    </>
  );
}

interface NavigationProps {
  readonly site: Site;
  readonly items: readonly NavigationItem[];
  /** Key of the item whose page this is. */
  readonly active: string | undefined;
}

const Navigation = ({ site, items, active }: NavigationProps) => (
  <>
    {items.map((item) => (
      <a
        key={item.key}
        href={item.href.startsWith('/') ? site.path(item.href) : item.href}
        aria-current={active === item.key ? 'page' : undefined}
      >
        {item.icon ? icon(item.icon) : null} {textOf(item.label)}
      </a>
    ))}
  </>
);

/** Stands twice in a page, in the bar and in the menu that phones have instead; only one of them is shown. */
const Search = ({ action }: { action: string }) => (
  <form class="site-search" role="search" aria-label={t('shell.search')} action={action} method="get">
    <input
      class="form-control input-sm"
      type="search"
      name="q"
      placeholder={t('shell.searchField')}
      aria-label={t('shell.searchField')}
    />
  </form>
);

const CreateMenu = ({ site, entries }: { site: Site; entries: readonly NavigationItem[] }) => (
  <details class="dropdown site-create">
    <summary class="site-button" aria-label={t('shell.create')}>
      {icon('plus')}
      <span class="dropdown-caret" />
    </summary>
    <ul class="dropdown-menu dropdown-menu-sw">
      {entries.map((item) => (
        <li key={item.key}>
          <a class="dropdown-item" href={site.path(item.href)}>
            {item.icon ? icon(item.icon, { class: 'mr-2' }) : null}
            {textOf(item.label)}
          </a>
        </li>
      ))}
    </ul>
  </details>
);

function Flash({ kind, text }: { kind: keyof typeof flashKinds; text: Text }) {
  return (
    <div class={`flash site-flash ${flashKinds[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      {icon(flashIcons[kind])} {textOf(text)}
    </div>
  );
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
/** HTML of a text in Latin-1: a single letter beyond makes each of the whole page take two bytes, and twice the time. */
const inReferences = (text: string): string =>
  text.replace(/[&<"]|[^\0-\xff]/gu, (character) => references[character] ?? `&#${character.codePointAt(0)};`);

/** Works without scripts; the names are each in their own language. */
function LanguageSwitch({ current, offered, settings }: LanguageChoice) {
  const label = t('shell.language', { name: current });
  if (settings) return <a href={settings}>{label}</a>;
  if (offered.length < 2) return null;
  // as text, since it stands in every page and is another in each
  const choice = ({ tag, name, href }: LanguageChoice['offered'][number]) =>
    `<li><a class="dropdown-item" href="${inReferences(href)}" lang="${inReferences(tag)}" hreflang="${inReferences(tag)}" rel="nofollow"${name === current ? ' aria-current="true"' : ''}>${inReferences(name)}</a></li>`;
  return (
    <details class="dropdown site-languages">
      <summary>
        {icon('globe')} {label}
      </summary>
      <ul class="dropdown-menu" dangerouslySetInnerHTML={{ __html: offered.map(choice).join('') }} />
    </details>
  );
}
