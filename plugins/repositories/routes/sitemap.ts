import { Joi, NotFound, defineRoute, reply, type Actor, type Route, type Site } from '@mortise/plugin-sdk';
import type { Repositories, Repository } from '../api.js';

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
const names = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

interface Deps {
  readonly repositories: Repositories;
  readonly site: Site;
  /** Addresses in one map. */
  readonly perMap: number;
}

/** Maps of what everybody may see, as far as who asks may, for search engines (https://www.sitemaps.org/protocol.html). */
export function sitemapRoutes({ repositories, site, perMap }: Deps): Route[] {
  const publicOnes = (actor: Actor, page: number): Promise<{ items: Repository[]; total: number }> =>
    repositories.search({ openOnly: true, sort: 'id', limit: perMap, offset: (page - 1) * perMap }, actor);
  const xml = (text: string) => reply.bytes(Buffer.from(head + text), 'application/xml; charset=utf-8');
  const access = { actor: 'anyone' } as const;

  return [
    defineRoute({
      method: 'GET',
      path: '/sitemap.xml',
      surface: 'protocol',
      access,
      async handler({ actor }) {
        const { total } = await publicOnes(actor, 1);
        const maps = Array.from(
          { length: Math.max(1, Math.ceil(total / perMap)) },
          (_, at) => `<sitemap><loc>${escape(site.url(`/explore/repos/sitemap-${at + 1}.xml`))}</loc></sitemap>`,
        );
        return xml(`<sitemapindex ${names}>${maps.join('')}</sitemapindex>`);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/explore/repos/sitemap-{page}.xml',
      surface: 'protocol',
      access,
      request: {
        params: Joi.object<{ readonly page: number }>({
          page: Joi.number().integer().min(1).max(1_000_000).required(),
        }),
      },
      async handler({ actor, params }) {
        const { items } = await publicOnes(actor, params.page);
        if (items.length === 0 && params.page > 1) throw NotFound('map');
        const places = items.map(
          (one) =>
            `<url><loc>${escape(repositories.htmlUrl(one))}</loc><lastmod>${new Date(one.updatedAt).toISOString()}</lastmod></url>`,
        );
        return xml(`<urlset ${names}>${places.join('')}</urlset>`);
      },
    }),
  ];
}
