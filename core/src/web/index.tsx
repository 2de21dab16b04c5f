import { join } from 'node:path';
import {
  createMenu,
  homePage,
  inLanguage,
  languageOf,
  navigation,
  pageIslands,
  textOf,
  themeOf,
  userMenu,
  webPage,
  withFieldErrors,
  type Actor,
  type ContentSources,
  type Language,
  type NavigationItem,
  type PageOptions,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import { renderWhole, setFragmentRenderer } from '@mortise/plugin-sdk/host';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { HttpDeps } from '../contracts.js';
import type { HttpServices } from '../http/kernel.js';
import { Assets, type Asset } from './assets.js';
import { isolateDirections } from './bidi.js';
import { renderChunked } from './chunked-rendering.js';
import { IconSprite } from './icons.js';
import { ErrorView, Landing, type ErrorDetails } from './kernel-pages.js';
import { Shell, type LanguageChoice } from './shell.js';
import { RenderQueue } from './render-queue.js';

export type { Asset } from './assets.js';
export { submittedTexts } from './submitted-texts.js';

interface PageContext {
  readonly actor: Actor;
  readonly csrf: string;
  /** Path and query of the page. */
  readonly path: string;
}

interface RenderContext extends PageContext {
  readonly language: Language;
}

interface RenderedPage {
  /** The whole HTML document, as it is sent. */
  readonly html: Buffer;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly formTargets: readonly string[] | undefined;
  readonly contentSources: ContentSources | undefined;
}

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
  home(context: PageContext): Promise<WebPage>;
  asset(hash: string, name: string): Promise<Asset | undefined>;
  /** Where an island is now; undefined for a name that nobody registered. */
  islandAddress(name: string): Promise<string | undefined>;
  logo(): Promise<Asset>;
  /** The folder that assets are in. */
  readonly assetFolder: string;
}

const byOrder = (a: { order?: number }, b: { order?: number }): number => (a.order ?? 100) - (b.order ?? 100);
const shownTo = (list: readonly NavigationItem[], actor: Actor): readonly NavigationItem[] =>
  list.filter((item) => item.visible?.(actor) ?? true).sort(byOrder);
/** Sets of islands; pages name theirs in code, so there are few. */
const maxKnownTags = 500;
const bodyEnd = Buffer.from('</body></html>');
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!);
const attributesOf = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name.replace(/[^\w:-]/g, '')}="${escaped(value)}"`)
    .join('');

/** Makes pages out of what plugins give: the shell around them, their styles, icons and scripts. */
export function createWeb(deps: HttpDeps, { site, settings, languages }: HttpServices): WebShell {
  isolateDirections();
  const items = deps.points.reader(navigation);
  const menus = deps.points.reader(userMenu);
  const creating = deps.points.reader(createMenu);
  const everywhere = deps.points.reader(pageIslands);
  const homes = deps.points.reader(homePage);
  const themes = deps.points.reader(themeOf);
  const languageSettings = deps.points.reader(languageOf);
  const sprite = new IconSprite();
  const renderQueue = new RenderQueue();
  setFragmentRenderer((node) => renderWhole(() => render(node)));
  const assets = new Assets(deps.islands, join(site.workDir, 'cache', 'assets'), site.isProduction, site.version);
  const answers = (path: string) => deps.routes.some(({ value }) => value.method === 'GET' && value.path === path);
  const searchPath = ['/search', '/explore/repos'].find(answers);
  const hasSignIn = answers('/user/login');
  const hasViewer = settings.api.ENABLE_SWAGGER;
  const link = (asset: Asset) => site.path(`/assets/${asset.hash}/${asset.name}`);

  async function theme(actor: Actor): Promise<string> {
    for (const one of themes.list()) {
      const chosen = await one.theme(actor);
      if (chosen) return chosen;
    }
    return settings.ui.DEFAULT_THEME;
  }

  /** By the names of the islands: a bundle is made once. */
  const knownTags = new Map<string, string>();
  async function islandTags(names: readonly string[]): Promise<string> {
    const key = names.join();
    const known = knownTags.get(key);
    if (known !== undefined) return known;
    const tags: string[] = [];
    // the last is registered only under `mortise dev`
    for (const name of [...names, 'live-reload']) {
      const asset = await assets.island(name);
      if (!asset) continue;
      const address = escaped(link(asset));
      tags.push(
        asset.name.endsWith('.css')
          ? `<link rel="stylesheet" href="${address}">`
          : `<script type="module" src="${address}"></script>`,
      );
    }
    const made = tags.join('');
    if (knownTags.size < maxKnownTags) knownTags.set(key, made);
    return made;
  }

  async function head(
    options: PageOptions,
    actor: Actor,
    title: string,
    description: string | undefined,
  ): Promise<string> {
    const [sheet, script] = await Promise.all([assets.stylesheet(), assets.script()]);
    const parts = [
      '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
      `<title>${escaped(title === site.name ? site.name : `${title} · ${site.name}`)}</title>`,
      description ? `<meta name="description" content="${escaped(description)}">` : '',
      '<meta name="color-scheme" content="light dark">',
      `<link rel="icon" type="image/svg+xml" href="${escaped(site.path('/favicon.svg'))}">`,
      `<link rel="stylesheet" href="${escaped(link(sheet))}">`,
      // deferred, as modules are: it runs when the page is there
      `<script type="module" src="${escaped(link(script))}"></script>`,
    ];
    for (const { tag, attributes } of options.head ?? []) parts.push(`<${tag}${attributesOf(attributes)}>`);
    const shown = everywhere.list().filter((one) => one.visible?.(actor) ?? true);
    parts.push(await islandTags([...shown.flatMap(({ islands }) => islands), ...(options.islands ?? [])]));
    return parts.join('');
  }

  /** Where the language is chosen: in the account's settings, or with links to this page in each. */
  function languageChoice({ actor, path, language }: RenderContext): LanguageChoice {
    const settingsPath = languageSettings.list().find((one) => one.settingsPath)?.settingsPath;
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

  async function page(page: WebPage, context: RenderContext): Promise<RenderedPage> {
    const { actor, language } = context;
    const [options, title, description] = inLanguage(language, () => {
      const made = page.options;
      return [made, textOf(made.title), made.description && textOf(made.description)] as const;
    });
    if (options.fragment) {
      const fragment = await renderChunked(
        renderQueue,
        (work) => inLanguage(language, work),
        () => render(options.body),
      );
      const html = Buffer.concat([sprite.spriteFor(fragment), ...fragment]);
      return { html, ...outsideOf(options) };
    }
    const menu: VNode[] = [];
    for (const slot of [...menus.list()].sort(byOrder)) {
      const node = await slot.render(context);
      if (node) menu.push(node);
    }
    const [headHtml, mode] = await Promise.all([head(options, actor, title, description), theme(actor)]);
    const body = await renderChunked(
      renderQueue,
      (work) => inLanguage(language, () => withFieldErrors(options.flash?.fields, work)),
      () =>
        render(
          h(Shell, {
            site,
            page: options,
            navigation: shownTo(items.list(), actor),
            create: shownTo(creating.list(), actor),
            userMenu: menu,
            searchPath,
            hasViewer,
            languages: languageChoice(context),
          }),
        ),
    );
    const color = mode === 'light' || mode === 'dark' ? mode : 'auto';
    const start = `<!doctype html><html lang="${escaped(language.tag)}" data-color-mode="${color}" data-light-theme="light" data-dark-theme="dark"><head>${headHtml}</head><body>`;
    const html = Buffer.concat([Buffer.from(start), sprite.spriteFor(body), ...body, bodyEnd]);
    return { html, ...outsideOf(options) };
  }

  async function home({ actor, csrf }: PageContext): Promise<WebPage> {
    for (const slot of [...homes.list()].sort(byOrder)) {
      const body = await slot.render({ actor, csrf });
      if (body) return webPage({ title: site.name, body, active: 'home' });
    }
    return webPage({
      title: site.name,
      width: 'full',
      active: 'home',
      body: <Landing site={site} signedIn={actor.kind !== 'anonymous'} hasSignIn={hasSignIn} hasViewer={hasViewer} />,
    });
  }

  return {
    page,
    home,
    errorPage: (status, message, requestId, more) =>
      webPage({
        status,
        title: String(status),
        body: <ErrorView site={site} status={status} message={message} requestId={requestId} {...more} />,
      }),
    asset: (hash, name) => assets.findOrMake(hash, name),
    async islandAddress(name) {
      const asset = await assets.island(name);
      return asset && link(asset);
    },
    logo: () => assets.logo(),
    assetFolder: assets.cacheFolder,
  };
}
