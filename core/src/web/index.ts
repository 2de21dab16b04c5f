import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  homePage,
  navigation,
  themeOf,
  userMenu,
  webPage,
  type Actor,
  type PageOptions,
  type WebPage,
} from '@mortise/plugin-sdk';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { HttpParts } from '../contracts.js';
import type { HttpServices } from '../http/kernel.js';
import { Assets, type Asset } from './assets.js';
import { IconSprite } from './icons.js';
import { logoFile } from './logo.js';
import { ErrorView, Landing, Shell, type ErrorMore } from './shell.js';

export type { Asset } from './assets.js';
export { textsOf } from './kept.js';

export interface PageContext {
  readonly actor: Actor;
  readonly csrf: string;
  /** Path and query of the page. */
  readonly path: string;
}

export interface WebRoom {
  /** The whole HTML document. */
  page(page: WebPage, context: PageContext): Promise<string>;
  errorPage(status: number, message: string, requestId: string, more?: ErrorMore): WebPage;
  home(context: PageContext): Promise<WebPage>;
  asset(hash: string, name: string): Promise<Asset | undefined>;
  readonly logo: Buffer;
  readonly logoHash: string;
}

const byOrder = (a: { order?: number }, b: { order?: number }): number => (a.order ?? 100) - (b.order ?? 100);
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!);
const attributesOf = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name.replace(/[^\w:-]/g, '')}="${escaped(value)}"`)
    .join('');

/** Makes pages out of what plugins give: the shell around them, their styles, icons and scripts. */
export function createWeb(parts: HttpParts, { site, settings }: HttpServices): WebRoom {
  const items = parts.points.reader(navigation);
  const menus = parts.points.reader(userMenu);
  const homes = parts.points.reader(homePage);
  const themes = parts.points.reader(themeOf);
  const sprite = new IconSprite();
  const assets = new Assets(parts.islands, join(site.workDir, 'cache', 'assets'), site.isProduction, site.version);
  const answers = (path: string) => parts.routes.some(({ value }) => value.method === 'GET' && value.path === path);
  const searchPath = ['/explore/repos', '/search'].find(answers);
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

  async function head(options: PageOptions): Promise<string> {
    const [sheet, script] = await Promise.all([assets.stylesheet(), assets.script()]);
    const parts = [
      '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
      `<title>${escaped(options.title === site.name ? site.name : `${options.title} · ${site.name}`)}</title>`,
      options.description ? `<meta name="description" content="${escaped(options.description)}">` : '',
      '<meta name="color-scheme" content="light dark">',
      `<link rel="icon" type="image/svg+xml" href="${escaped(site.path('/favicon.svg'))}">`,
      `<link rel="stylesheet" href="${escaped(link(sheet))}">`,
      // deferred, as modules are: it runs when the page is there
      `<script type="module" src="${escaped(link(script))}"></script>`,
    ];
    for (const { tag, attributes } of options.head ?? []) parts.push(`<${tag}${attributesOf(attributes)}>`);
    for (const name of options.islands ?? []) {
      const asset = await assets.island(name);
      if (!asset) continue;
      const address = escaped(link(asset));
      parts.push(
        asset.name.endsWith('.css')
          ? `<link rel="stylesheet" href="${address}">`
          : `<script type="module" src="${address}"></script>`,
      );
    }
    return parts.join('');
  }

  async function page({ options }: WebPage, context: PageContext): Promise<string> {
    const { actor, csrf } = context;
    const shown = items.list().filter((item) => item.visible?.(actor) ?? true);
    const menu: VNode[] = [];
    for (const slot of [...menus.list()].sort(byOrder)) {
      const node = await slot.render({ actor, csrf });
      if (node) menu.push(node);
    }
    const [headHtml, mode] = await Promise.all([head(options), theme(actor)]);
    const body = render(
      h(Shell, { site, page: options, navigation: [...shown].sort(byOrder), userMenu: menu, searchPath, hasViewer }),
    );
    const color = mode === 'light' || mode === 'dark' ? mode : 'auto';
    return `<!doctype html><html lang="en" data-color-mode="${color}" data-light-theme="light" data-dark-theme="dark"><head>${headHtml}</head><body>${sprite.spriteFor(body)}${body}</body></html>`;
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
      body: Landing({ site, signedIn: actor.kind !== 'anonymous', hasSignIn, hasViewer }),
    });
  }

  return {
    page,
    home,
    errorPage: (status, message, requestId, more) =>
      webPage({ status, title: String(status), body: ErrorView({ site, status, message, requestId, ...more }) }),
    asset: (hash, name) => assets.findOrMake(hash, name),
    logo: logoFile,
    logoHash: createHash('sha256').update(logoFile).digest('hex').slice(0, 20),
  };
}
