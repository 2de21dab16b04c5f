import { join } from 'node:path';
import {
  createMenu,
  frontPageSteps,
  homePage,
  inLanguage,
  languageOf,
  navigation,
  pageIslands,
  searchTargets,
  siteFeatures,
  textOf,
  themeOf,
  userMenu,
  webPage,
  withCsrf,
  withFieldErrors,
  type Actor,
  type ContentSources,
  type Language,
  type NavigationItem,
  type PageOptions,
  type RouteContext,
  type Site,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import { renderWhole, setFragmentRenderer } from '@mortise/plugin-sdk/host';
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { HttpDeps } from '../contracts.js';
import type { HttpServices } from '../http/kernel.js';
import type { MetaSettings } from '../http/settings.js';
import { Assets, type Asset } from './assets.js';
import { isolateDirections } from './bidi.js';
import { renderChunked, type Scope } from './chunked-rendering.js';
import { IconSprite } from './icons.js';
import { ErrorView, Landing, type ErrorDetails } from './kernel-pages.js';
import { Shell, type LanguageChoice } from './shell.js';
import { RenderQueue } from './render-queue.js';
import { readSiteBranding, type SiteBranding } from './site-branding.js';

export type { Asset } from './assets.js';
export { submittedTexts } from './submitted-texts.js';

type HomeContext = Pick<RouteContext, 'actor' | 'csrf'>;

interface RenderContext {
  readonly actor: Actor;
  /** Made when it is asked for: other pages need no token, nor the cookie that it belongs to. */
  readonly csrf: string;
  /** Path and query of the page. */
  readonly path: string;
  readonly language: Language;
}

export interface RenderedPage {
  /** The whole HTML document, as it is sent. */
  readonly html: Buffer;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly formTargets: readonly string[] | undefined;
  readonly contentSources: ContentSources | undefined;
}

/** What is rendered in it has the language of the page and the token of its visitor. */
const scopeOf =
  (context: RenderContext): Scope =>
  (work) =>
    inLanguage(context.language, () => withCsrf(() => context.csrf, work));

/** What of a page is not its HTML. */
const outsideOf = ({ status = 200, headers = {}, formTargets, contentSources }: PageOptions) => ({
  status,
  headers,
  formTargets,
  contentSources,
});

export interface WebShell {
  page(page: WebPage, context: RenderContext): Promise<RenderedPage>;
  errorPage(status: number, message: Text, requestId: string, more?: ErrorDetails): WebPage;
  home(context: HomeContext): Promise<WebPage>;
  asset(hash: string, name: string): Promise<Asset | undefined>;
  /** Where an island is now; undefined for a name that nobody registered. */
  islandAddress(name: string): Promise<string | undefined>;
  logo(): Promise<Asset>;
  /** Of the site's own. */
  readonly look: SiteBranding;
  /** The folder that assets are in. */
  readonly assetFolder: string;
}

const shownTo = (list: readonly NavigationItem[], actor: Actor): readonly NavigationItem[] =>
  list.filter((item) => item.visible?.(actor) ?? true);
/** Sets of islands; pages name theirs in code, so there are few. */
const maxKnownTags = 500;
/** Who is signed in, for scripts that keep something in the browser. */
const userOf = ({ kind, id }: Actor): string => (kind === 'user' ? ` data-user="${id}"` : '');
const bodyEnd = Buffer.from('</body></html>');
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!);
const named = (name: string, content: string): string =>
  content && `<meta name="${name}" content="${escaped(content)}">`;
const attributesOf = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name.replace(/[^\w:-]/g, '')}="${escaped(value)}"`)
    .join('');

type IslandSource = HttpDeps['islands'];

/** The `head` of pages: their title, style sheets, scripts and islands. */
class PageHead {
  /** By the names of the islands: a bundle is made once. */
  readonly #knownTags = new Map<string, string>();
  readonly assets: Assets;
  private readonly everywhere;

  constructor(
    deps: { readonly points: HttpDeps['points']; readonly islands: IslandSource },
    private readonly site: Site,
    private readonly look: SiteBranding,
    private readonly meta: Readonly<MetaSettings>,
  ) {
    this.everywhere = deps.points.reader(pageIslands);
    this.assets = new Assets(deps.islands, join(site.workDir, 'cache', 'assets'), site.isProduction, site.version);
  }

  link = (asset: Asset): string => this.site.path(`/assets/${asset.hash}/${asset.name}`);

  async render(options: PageOptions, actor: Actor, title: string, description: string | undefined): Promise<string> {
    const { assets, site } = this;
    const [sheet, script] = await Promise.all([assets.stylesheet(), assets.script()]);
    const favicon = this.look.favicon ?? { type: 'image/svg+xml', href: site.path('/favicon.svg') };
    const parts = [
      '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
      `<title>${escaped(title === site.name ? site.name : `${title} · ${site.name}`)}</title>`,
      named('description', description || this.meta.DESCRIPTION),
      named('author', this.meta.AUTHOR),
      named('keywords', this.meta.KEYWORDS),
      '<meta name="color-scheme" content="light dark">',
      `<link rel="icon" type="${favicon.type}" href="${escaped(favicon.href)}">`,
      `<link rel="stylesheet" href="${escaped(this.link(sheet))}">`,
      // deferred, as modules are: it runs when the page is there
      `<script type="module" src="${escaped(this.link(script))}"></script>`,
    ];
    for (const { tag, attributes } of options.head ?? []) parts.push(`<${tag}${attributesOf(attributes)}>`);
    const shown = this.everywhere.list().filter((one) => one.visible?.(actor) ?? true);
    parts.push(await this.#islandTags([...shown.flatMap(({ islands }) => islands), ...(options.islands ?? [])]));
    if (this.look.stylesheet) parts.push(`<link rel="stylesheet" href="${escaped(this.look.stylesheet.href)}">`);
    return parts.join('');
  }

  async #islandTags(names: readonly string[]): Promise<string> {
    const key = names.join();
    const known = this.#knownTags.get(key);
    if (known !== undefined) return known;
    const tags: string[] = [];
    // the last is registered only under `mortise dev`
    for (const name of [...names, 'live-reload']) {
      const asset = await this.assets.island(name);
      if (!asset) continue;
      const address = escaped(this.link(asset));
      tags.push(
        asset.name.endsWith('.css')
          ? `<link rel="stylesheet" href="${address}">`
          : `<script type="module" src="${address}"></script>`,
      );
    }
    const made = tags.join('');
    if (this.#knownTags.size < maxKnownTags) this.#knownTags.set(key, made);
    return made;
  }
}

/** What plugins contribute to the shell around every page. */
const shellPoints = ({ points }: HttpDeps) => ({
  items: points.reader(navigation),
  menus: points.reader(userMenu),
  creating: points.reader(createMenu),
  homes: points.reader(homePage),
  features: points.reader(siteFeatures),
  steps: points.reader(frontPageSteps),
  themes: points.reader(themeOf),
  languageSettings: points.reader(languageOf),
  searches: points.reader(searchTargets),
});

/** Makes pages out of what plugins give: the shell around them, their styles, icons and scripts. */
class Web implements WebShell {
  readonly #sprite = new IconSprite();
  readonly #renderQueue = new RenderQueue();
  readonly #head: PageHead;
  readonly #points: ReturnType<typeof shellPoints>;
  readonly #hasSignIn: boolean;
  readonly assetFolder: string;
  readonly look: SiteBranding;

  constructor(
    deps: HttpDeps,
    private readonly services: Pick<HttpServices, 'site' | 'settings' | 'languages'>,
  ) {
    this.look = readSiteBranding(services.site);
    this.#head = new PageHead(deps, services.site, this.look, services.settings.meta);
    this.#points = shellPoints(deps);
    this.#hasSignIn = deps.routes.some(({ value }) => value.method === 'GET' && value.path === '/user/login');
    this.assetFolder = this.#head.assets.cacheFolder;
  }

  get #hasViewer(): boolean {
    return this.services.settings.api.ENABLE_SWAGGER;
  }

  async page(page: WebPage, context: RenderContext): Promise<RenderedPage> {
    const { actor, language } = context;
    const scope = scopeOf(context);
    const [options, title, description] = scope(() => {
      const made = page.options;
      return [made, textOf(made.title), made.description && textOf(made.description)] as const;
    });
    if (options.fragment) return this.#fragment(options, scope);
    const menu = await this.#userMenu(context);
    const [headHtml, mode] = await Promise.all([
      this.#head.render(options, actor, title, description),
      this.#theme(actor),
    ]);
    const body = await renderChunked(
      this.#renderQueue,
      (work) => scope(() => withFieldErrors(options.flash?.fields, work)),
      () => render(this.#shell(options, context, menu)),
    );
    const color = mode === 'light' || mode === 'dark' ? mode : 'auto';
    const start = `<!doctype html><html lang="${escaped(language.tag)}" data-color-mode="${color}" data-light-theme="light" data-dark-theme="dark"><head>${headHtml}</head><body${userOf(context.actor)}>`;
    const html = Buffer.concat([Buffer.from(start), this.#sprite.spriteFor(body), ...body, bodyEnd]);
    return { html, ...outsideOf(options) };
  }

  async home(context: HomeContext): Promise<WebPage> {
    const { site } = this.services;
    for (const slot of this.#points.homes.list()) {
      const body = await slot.render(context);
      if (body) return webPage({ title: site.name, body, active: 'home' });
    }
    const steps = await Promise.all(this.#points.steps.list().map((slot) => slot.render(context)));
    return webPage({
      title: site.name,
      width: 'full',
      active: 'home',
      body: (
        <Landing
          site={site}
          look={this.look}
          signedIn={context.actor.kind !== 'anonymous'}
          hasSignIn={this.#hasSignIn}
          hasViewer={this.#hasViewer}
          steps={steps.filter((step) => step !== null)}
          features={this.#points.features.list()}
        />
      ),
    });
  }

  errorPage(status: number, message: Text, requestId: string, more?: ErrorDetails): WebPage {
    return webPage({
      status,
      title: String(status),
      body: <ErrorView site={this.services.site} status={status} message={message} requestId={requestId} {...more} />,
    });
  }

  asset(hash: string, name: string): Promise<Asset | undefined> {
    return this.#head.assets.findOrMake(hash, name);
  }

  async islandAddress(name: string): Promise<string | undefined> {
    const asset = await this.#head.assets.island(name);
    return asset && this.#head.link(asset);
  }

  logo(): Promise<Asset> {
    return this.#head.assets.logo();
  }

  async #fragment(options: PageOptions, scope: Scope): Promise<RenderedPage> {
    const fragment = await renderChunked(this.#renderQueue, scope, () => render(options.body));
    const html = Buffer.concat([this.#sprite.spriteFor(fragment), ...fragment]);
    return { html, ...outsideOf(options) };
  }

  #shell(page: PageOptions, context: RenderContext, menu: VNode[]): VNode {
    const { items, creating, searches } = this.#points;
    return (
      <Shell
        site={this.services.site}
        look={this.look}
        page={page}
        footer={this.services.settings.footer}
        navigation={shownTo(items.list(), context.actor)}
        create={shownTo(creating.list(), context.actor)}
        userMenu={menu}
        searchPath={searches.list()[0]?.path}
        hasViewer={this.#hasViewer}
        languages={this.#languageChoice(context)}
      />
    );
  }

  async #userMenu(context: RenderContext): Promise<VNode[]> {
    const menu: VNode[] = [];
    for (const slot of this.#points.menus.list()) {
      const node = await slot.render(context);
      if (node) menu.push(node);
    }
    return menu;
  }

  async #theme(actor: Actor): Promise<string> {
    for (const one of this.#points.themes.list()) {
      const chosen = await one.theme(actor);
      if (chosen) return chosen;
    }
    return this.services.settings.ui.DEFAULT_THEME;
  }

  /** Where the language is chosen: in the account's settings, or with links to this page in each. */
  #languageChoice({ actor, path, language }: RenderContext): LanguageChoice {
    const { site, languages } = this.services;
    const settingsPath = this.#points.languageSettings.list().find((one) => one.settingsPath)?.settingsPath;
    const offered = languages.offered();
    const current = offered.find(({ tag }) => tag === language.tag)?.name ?? language.tag;
    if (actor.kind === 'user' && settingsPath) return { current, settings: site.path(settingsPath), offered: [] };
    const end = path.indexOf('?');
    // two slashes at the beginning would name another site
    const page = site.path((end < 0 ? path : path.slice(0, end)).replace(/^[/\\]+/, '/'));
    const parameters = end < 0 ? undefined : new URLSearchParams(path.slice(end));
    const query = (tag: string): string => {
      if (!parameters) return `lang=${tag}`;
      parameters.set('lang', tag);
      return parameters.toString();
    };
    return {
      current,
      offered: offered.map(({ tag, name }) => ({ tag, name, href: `${page}?${query(tag)}` })),
    };
  }
}

export function createWeb(deps: HttpDeps, services: HttpServices): WebShell {
  isolateDirections();
  const cache = services.cache?.memory<string>('core.fragments');
  setFragmentRenderer(cache && { render: (node) => renderWhole(() => render(node)), cache });
  return new Web(deps, services);
}
