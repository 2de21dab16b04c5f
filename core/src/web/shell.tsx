import type { NavigationItem, PageOptions, Site } from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import { Kept, type KeptText } from './kept.js';
import { Logo } from './logo.js';

export interface ShellProps {
  readonly site: Site;
  readonly page: PageOptions;
  readonly navigation: readonly NavigationItem[];
  readonly userMenu: readonly VNode[];
  /** Address of the search, when a plugin answers it. */
  readonly searchPath?: string;
  readonly hasViewer: boolean;
}

const widths = { normal: 'site-main', narrow: 'site-main site-main-narrow', full: 'site-main site-main-full' };
const flashKinds = { success: 'flash-success', error: 'flash-error', info: '' };
const flashIcons = { success: 'check', error: 'alert', info: 'info' };

/** What stands in the body of every page. */
export function Shell({ site, page, navigation, userMenu, searchPath, hasViewer }: ShellProps) {
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <header class="site-top">
        <a class="site-brand" href={site.path('/')}>
          <Logo /> <span>{site.name}</span>
        </a>
        <nav class="site-nav" aria-label="Main">
          {navigation.map((item) => (
            <a
              key={item.key}
              href={item.href.startsWith('/') ? site.path(item.href) : item.href}
              aria-current={page.active === item.key ? 'page' : undefined}
            >
              {item.icon ? icon(item.icon) : null} {item.label}
            </a>
          ))}
        </nav>
        {searchPath ? (
          <form class="site-search" role="search" aria-label="Site" action={site.path(searchPath)} method="get">
            <input
              class="form-control input-sm"
              type="search"
              name="q"
              placeholder="Search repositories"
              aria-label="Search repositories"
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
        <span>
          {site.name === 'Mortise' ? 'Mortise' : `${site.name} runs on Mortise`} {site.version}
        </span>
        {hasViewer ? <a href={site.path('/api/swagger')}>API</a> : null}
      </footer>
    </>
  );
}

function Flash({ kind, text }: { kind: keyof typeof flashKinds; text: string }) {
  return (
    <div class={`flash site-flash ${flashKinds[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      {icon(flashIcons[kind])} {text}
    </div>
  );
}

const titles: Readonly<Record<number, string>> = {
  400: 'That address does not work',
  401: 'Please sign in',
  403: 'This is not yours to do',
  404: 'There is nothing here',
  405: 'Not possible here',
  409: 'That is taken',
  413: 'That is too large',
  422: 'That does not fit',
  429: 'Too many at once',
  500: 'Something went wrong',
  503: 'Not available now',
};

export interface ErrorMore {
  /** What the form held that was not taken. */
  readonly kept?: readonly KeptText[];
  /** Default: what is usual for the status. */
  readonly title?: string;
  /** Address of the sign-in page, where that is the way on. */
  readonly signIn?: string;
}

/** Why a page could not be shown, and a way on. */
export function ErrorView({
  site,
  status,
  message,
  requestId,
  kept = [],
  title = titles[status] ?? 'That did not work',
  signIn,
}: {
  site: Site;
  status: number;
  message: string;
  requestId: string;
} & ErrorMore) {
  return (
    <div class="error-page">
      <p class="error-status" aria-hidden="true">
        {status}
      </p>
      <h1>{title}</h1>
      <p class="error-reason f4 color-fg-muted">{message}</p>
      {status >= 500 ? (
        <p class="color-fg-muted">
          Tell the administrator this number when you ask for help: <code>{requestId}</code>
        </p>
      ) : null}
      {kept.length > 0 ? <Kept texts={kept} /> : null}
      <p>
        {signIn ? (
          <a class="btn btn-primary" href={signIn}>
            {icon('sign-in')} Sign in
          </a>
        ) : (
          <a class="btn btn-primary" href={site.path('/')}>
            {icon('home')} Home
          </a>
        )}
      </p>
    </div>
  );
}

function Feature({ symbol, title, children }: { symbol: string; title: string; children: ComponentChildren }) {
  return (
    <section class="feature">
      <h2>
        {icon(symbol)} {title}
      </h2>
      <p>{children}</p>
    </section>
  );
}

/** What a visitor sees at `/` when no plugin has something better. */
export function Landing({
  site,
  signedIn,
  hasSignIn,
  hasViewer,
}: {
  site: Site;
  signedIn: boolean;
  hasSignIn: boolean;
  hasViewer: boolean;
}) {
  return (
    <>
      <div class="hero">
        <Logo size={88} />
        <h1>{site.name}</h1>
        <p>
          A home for your code that fits together like good joinery: a small kernel, and plugins for everything else.
        </p>
        <div class="hero-actions">
          {!signedIn && hasSignIn ? (
            <a class="btn btn-primary btn-large" href={site.path('/user/login')}>
              {icon('sign-in')} Sign in
            </a>
          ) : null}
          {hasViewer ? (
            <a class="btn btn-large" href={site.path('/api/swagger')}>
              {icon('book')} Browse the API
            </a>
          ) : null}
        </div>
      </div>
      <div class="feature-grid">
        <Feature symbol="repo" title="Repositories">
          Host git repositories, browse them, and keep the private ones private.
        </Feature>
        <Feature symbol="package" title="Packages">
          Publish packages next to the code that they are made from.
        </Feature>
        <Feature symbol="webhook" title="Webhooks">
          Tell other services what happens here, the moment it happens.
        </Feature>
        <Feature symbol="plug" title="Plugins">
          Everything is a plugin: take what you need and add what you miss.
        </Feature>
      </div>
    </>
  );
}
