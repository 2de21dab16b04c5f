import { timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import type { ResponseToolkit } from '@hapi/hapi';
import {
  defineRoute,
  Joi,
  NotFound,
  reply,
  shortcutGroups,
  publicSettings,
  Unauthorized,
  type Access,
  type Route,
  type PublicSettings,
} from '@mortise/plugin-sdk';
import type { HttpDeps } from '../contracts.js';
import type { Documents, ViewerQuery } from '../api-docs/index.js';
import { forVisitors, sharedHealth } from './health.js';
import type { HttpKernel } from './kernel.js';
import { t } from '../texts/index.js';
import { shortcutsPage } from '../web/shortcuts-page.js';
import type { Asset } from '../web/index.js';
import { compatibleVersion } from './compatible-version.js';
import { picturePolicy, registerFiles } from './public-files.js';

/** Open at all times, also when everything else needs sign-in. */
const always: Access = { actor: 'anyone', always: true };
const anyone: Access = { actor: 'anyone' };

/** What the kernel answers itself, without any plugin. */
export function kernelRoutes(kernel: HttpKernel, deps: HttpDeps, documents: Documents): Route[] {
  return [
    ...siteRoutes(kernel, deps),
    ...healthRoutes(kernel, deps),
    ...assetRoutes(kernel),
    ...documentRoutes(kernel, documents),
    ...homeRoutes(kernel, deps),
    ...liveRoutes(kernel),
  ];
}

function siteRoutes({ settings }: HttpKernel, deps: HttpDeps): Route[] {
  const { api, ui } = settings;
  const contributed = deps.points.reader(publicSettings);
  const settingsRoute = (
    page: PublicSettings['page'],
    id: string,
    summary: string,
    own: Omit<PublicSettings, 'key' | 'page'>,
  ): Route => {
    const all = [own, ...contributed.list().filter((one) => one.page === page)];
    const value: object = Object.assign({}, ...all.map(({ values }) => values));
    const schema = Joi.object(Object.assign({}, ...all.map((one) => one.schema))).label(id.replace(/^get/, ''));
    return {
      method: 'GET',
      path: `/api/v1/settings/${page}`,
      access: anyone,
      id,
      tags: ['settings'],
      summary,
      responses: { 200: schema },
      handler: () => value,
    };
  };
  const version = { version: compatibleVersion };
  const number = Joi.number().required();
  return [
    {
      method: 'GET',
      path: '/api/v1/version',
      access: anyone,
      id: 'getVersion',
      tags: ['miscellaneous'],
      summary: 'Version of this server',
      responses: { 200: Joi.object({ version: Joi.string().required() }).label('ServerVersion') },
      handler: () => version,
    },
    settingsRoute('api', 'getGeneralAPISettings', 'Limits of the API', {
      schema: { max_response_items: number, default_paging_num: number },
      values: { max_response_items: api.MAX_RESPONSE_ITEMS, default_paging_num: api.DEFAULT_PAGING_NUM },
    }),
    settingsRoute('ui', 'getGeneralUISettings', 'Looks of the web interface', {
      schema: { default_theme: Joi.string(), custom_emojis: Joi.array().items(Joi.string()) },
      values: { default_theme: ui.DEFAULT_THEME, custom_emojis: [] },
    }),
  ];
}

function healthRoutes(kernel: HttpKernel, deps: HttpDeps): Route[] {
  const { services, settings } = kernel;
  const look = sharedHealth(kernel, deps);
  return [
    {
      method: 'GET',
      path: '/api/livez',
      surface: 'protocol',
      access: always,
      // the process answers; whatever it needs may be away, which a restart would not mend
      handler: async () => reply.json({ status: 'pass' }).header('cache-control', 'no-store'),
    },
    {
      method: 'GET',
      path: '/api/readyz',
      surface: 'protocol',
      access: always,
      handler: async () => {
        const health = forVisitors(await look());
        // a plugin that failed is worth a warning: the rest of the site serves, and other nodes may lack it too
        const isReady = health.status !== 'fail' && (!kernel.stopping || kernel.isReplaced);
        const body = { ...health, status: isReady ? health.status : 'fail' };
        return reply.json(body, isReady ? 200 : 503).header('cache-control', 'no-store');
      },
    },
    {
      method: 'GET',
      path: '/api/healthz',
      surface: 'protocol',
      access: always,
      handler: async () => {
        const health = forVisitors(await look());
        return reply.json(health, health.status === 'fail' ? 503 : 200).header('cache-control', 'no-store');
      },
    },
    {
      method: 'GET',
      path: '/-/ready',
      surface: 'protocol',
      access: always,
      handler: async () => {
        await services.database?.ping();
        return reply.text('ready\n').header('cache-control', 'no-store');
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      surface: 'protocol',
      access: always,
      handler: async ({ headers }) => {
        if (!settings.metrics.ENABLED || !services.metricsText) throw NotFound('There is nothing at this address.');
        if (settings.metrics.TOKEN && !same(headers.authorization ?? '', `Bearer ${settings.metrics.TOKEN}`))
          throw Unauthorized();
        const { contentType, text } = await services.metricsText();
        return reply.text(text).type(contentType);
      },
    },
  ];
}

function same(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** By encoding, what the name of a compressed variant ends with. */
const compressed = { br: '.br', gzip: '.gz' };

function assetRoutes({ web, settings, site }: HttpKernel): Route[] {
  const shortly = `public, max-age=${Math.floor(settings.server.STATIC_CACHE_TIME / 1000)}`;
  const send = async ({ toolkit }: { readonly toolkit: ResponseToolkit }, asset: Asset, cacheControl: string) => {
    await registerFiles(toolkit.request.server);
    const answer = asset.body
      ? toolkit.response(asset.body)
      : toolkit.file(asset.file, {
          confine: web.assetFolder,
          lookupCompressed: true,
          lookupMap: compressed,
          etagMethod: false,
        });
    return answer
      .type(asset.contentType)
      .etag(asset.hash, { weak: false, vary: true })
      .header('cache-control', cacheControl);
  };
  const favicon: Route['handler'] = async ({ raw }) => {
    const own = web.look.favicon;
    if (own) {
      await registerFiles(raw.toolkit.request.server);
      const folder = join(site.workDir, 'public');
      return raw.toolkit
        .file(join(folder, own.path), { confine: folder, etagMethod: 'simple' })
        .header('cache-control', shortly)
        .header('content-security-policy', picturePolicy);
    }
    const { hash, name } = await web.logo();
    const asset = await web.asset(hash, name);
    if (!asset) throw NotFound('asset');
    return send(raw, asset, shortly);
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/assets/{hash}/{name}',
      surface: 'protocol',
      access: always,
      handler: async ({ params, raw }) => {
        // For islands that load others late: they do not know the hash.
        if (params.hash === 'islands') {
          const address = await web.islandAddress(params.name);
          if (!address) throw NotFound('island');
          return reply.redirect(address, 302).header('cache-control', 'public, max-age=300');
        }
        const asset = await web.asset(params.hash, params.name);
        if (!asset) throw NotFound('asset');
        return send(raw, asset, 'public, max-age=31536000, immutable');
      },
    }),
    { method: 'GET', path: '/favicon.svg', surface: 'protocol', access: always, handler: favicon },
    { method: 'GET', path: '/favicon.ico', surface: 'protocol', access: always, handler: favicon },
  ];
}

function documentRoutes({ settings, site }: HttpKernel, documents: Documents): Route[] {
  const open = (): void => {
    if (!settings.api.ENABLE_SWAGGER)
      throw NotFound('There is nothing at this address.', { text: t.later('error.notFound') });
  };
  const served =
    (read: () => Promise<{ body: string; hash: string }>): Route['handler'] =>
    async () => {
      open();
      const { body, hash } = await read();
      return reply.text(body).type('application/json; charset=utf-8').tag(hash);
    };
  return [
    {
      method: 'GET',
      path: '/swagger.v1.json',
      surface: 'protocol',
      access: anyone,
      handler: served(() => documents.swagger()),
    },
    {
      method: 'GET',
      path: '/openapi3.v1.json',
      surface: 'protocol',
      access: anyone,
      handler: served(() => documents.openapi()),
    },
    {
      method: 'GET',
      path: '/protocols.v1.json',
      surface: 'protocol',
      access: anyone,
      handler: served(() => documents.protocols()),
    },
    {
      method: 'GET',
      path: '/api/v1/swagger',
      surface: 'protocol',
      access: anyone,
      handler: () => {
        open();
        return reply.redirect(site.path('/api/swagger'));
      },
    },
    defineRoute({
      method: 'GET',
      path: '/api/swagger',
      surface: 'page',
      access: anyone,
      request: {
        query: Joi.object<ViewerQuery>({
          operation: Joi.string().max(255),
          model: Joi.string().max(255),
          q: Joi.string().allow('').max(255),
        }).unknown(),
      },
      handler: async (context) => {
        open();
        return documents.viewer(context.query, context);
      },
    }),
  ];
}

/** Under `mortise dev`: which start of the server this is, and the parts that pages are made of. */
function liveRoutes({ options }: HttpKernel): Route[] {
  if (!options.liveReload) return [];
  const start = `${process.pid}-${Date.now()}`;
  return [
    {
      method: 'GET',
      path: '/-/live',
      surface: 'protocol',
      access: always,
      handler: () => reply.text(start).header('cache-control', 'no-store'),
    },
    {
      method: 'GET',
      path: '/-/parts',
      surface: 'page',
      access: anyone,
      handler: async () => (await import('../web/components-page.js')).componentsPage(),
    },
  ];
}

/** Where `[server] LANDING_PAGE` leads that is no path. */
const landingPaths: Readonly<Record<string, string | undefined>> = {
  home: undefined,
  explore: '/explore',
  organizations: '/explore/organizations',
  login: '/user/login',
};

function homeRoutes({ web, site, settings }: HttpKernel, deps: HttpDeps): Route[] {
  const { LANDING_PAGE: page } = settings.server;
  const landing = page.startsWith('/') ? page : landingPaths[page];
  const groups = deps.points.reader(shortcutGroups);
  return [
    {
      method: 'GET',
      path: '/-/shortcuts',
      surface: 'page',
      access: anyone,
      handler: () => shortcutsPage(groups.list()),
    },
    {
      method: 'GET',
      path: '/',
      surface: 'page',
      access: anyone,
      handler: (context) =>
        landing !== undefined && context.actor.kind === 'anonymous'
          ? reply.redirect(site.path(landing))
          : web.home(context),
    },
  ];
}
