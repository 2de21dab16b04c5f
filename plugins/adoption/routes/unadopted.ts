import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { AdoptionService } from '../services/adoption.js';

const api = '/api/v1';

/** Folders that wait to become repositories, for administrators. */
export function unadoptedRoutes({ adoption }: { readonly adoption: AdoptionService }): Route[] {
  const admin = { actor: 'admin', scope: 'admin' } as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${api}/admin/unadopted`,
      id: 'adminUnadoptedList',
      tags: ['admin'],
      summary: 'Folders that wait to be adopted',
      access: admin,
      request: {
        query: Joi.object<{ readonly pattern?: string; readonly query?: string }>({
          pattern: Joi.string().allow('').max(255),
          query: Joi.string().allow(''),
        }),
      },
      responses: { 200: Joi.array().items(Joi.string()).label('StringSlice') },
      async handler({ query, page }) {
        const { items, total } = await adoption.list(query.pattern ?? '', page.limit, page.offset);
        return reply.list(items, total);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${api}/admin/unadopted/{owner}/{repo}`,
      id: 'adminAdoptRepository',
      tags: ['admin'],
      summary: 'Make a repository of a folder',
      access: admin,
      responses: { 204: null, 404: null, 409: null },
      handler: async ({ actor, params }) => (await adoption.adopt(params.owner, params.repo, actor), reply.none()),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${api}/admin/unadopted/{owner}/{repo}`,
      id: 'adminDeleteUnadoptedRepository',
      tags: ['admin'],
      summary: 'Delete a folder that waits',
      access: admin,
      responses: { 204: null, 404: null },
      handler: async ({ params }) => (await adoption.remove(params.owner, params.repo), reply.none()),
    }),
  ];
}
