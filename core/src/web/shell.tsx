import { icon, textOf, type NavigationItem, type PageOptions, type Site, type Text } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import { Logo } from './logo.js';

export interface LanguageChoice {
  /** Name of the language of the page. */
  readonly current: string;
  /** The same page in each language. */
  readonly offered: readonly { readonly tag: string; readonly name: string; readonly href: string }[];
  /** Address where who is signed in chooses it. */
  readonly settings?: string;
}

export interface ShellProps {
  readonly site: Site;
  readonly page: PageOptions;
  readonly navigation: readonly NavigationItem[];
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
export function Shell({ site, page, navigation, userMenu, searchPath, hasViewer, languages }: ShellProps) {
  return (
    <>
      <a class="skip-link" href="#main">
        {t('shell.skip')}
      </a>
      <header class="site-top">
        <a class="site-brand" href={site.path('/')}>
          <Logo /> <span>{site.name}</span>
        </a>
        <nav class="site-nav" aria-label={t('shell.navigation')}>
          {navigation.map((item) => (
            <a
              key={item.key}
              href={item.href.startsWith('/') ? site.path(item.href) : item.href}
              aria-current={page.active === item.key ? 'page' : undefined}
            >
              {item.icon ? icon(item.icon) : null} {textOf(item.label)}
            </a>
          ))}
        </nav>
        {searchPath ? (
          <form
            class="site-search"
            role="search"
            aria-label={t('shell.search')}
            action={site.path(searchPath)}
            method="get"
          >
            <input
              class="form-control input-sm"
              type="search"
              name="q"
              placeholder={t('shell.searchRepositories')}
              aria-label={t('shell.searchRepositories')}
            />
          </form>
        ) : null}
        <div class="site-user">{userMenu}</div>
      </header>
      {page.flash ? <Flash {...page.flash} /> : null}
      <main id="main" tabIndex={-1} class={widths[page.width ?? 'normal']}>
        {page.body}
      </main>
      <footer class="site-footer">
        <span>{t(site.name === 'Mortise' ? 'shell.version' : 'shell.poweredBy', { version: site.version })}</span>
        {hasViewer ? <a href={site.path('/api/swagger')}>{t('shell.api')}</a> : null}
        <LanguageSwitch {...languages} />
      </footer>
    </>
  );
}

function Flash({ kind, text }: { kind: keyof typeof flashKinds; text: Text }) {
  return (
    <div class={`flash site-flash ${flashKinds[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      {icon(flashIcons[kind])} {textOf(text)}
    </div>
  );
}

/** Works without scripts; the names are each in their own language. */
function LanguageSwitch({ current, offered, settings }: LanguageChoice) {
  const label = t('shell.language', { name: current });
  if (settings) return <a href={settings}>{label}</a>;
  if (offered.length < 2) return null;
  return (
    <details class="dropdown site-languages">
      <summary>
        {icon('globe')} {label}
      </summary>
      <ul class="dropdown-menu">
        {offered.map(({ tag, name, href }) => (
          <li key={tag}>
            <a
              class="dropdown-item"
              href={href}
              lang={tag}
              hreflang={tag}
              rel="nofollow"
              aria-current={name === current ? 'true' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
