import { Joi, defineRoute, reply, type PointReader, type Route } from '@mortise/plugin-sdk';
import { api, type RouteServices } from './shared.js';

const flag = () => Joi.boolean().required();
const settingsSchema = Joi.object({
  mirrors_disabled: flag(),
  http_git_disabled: flag(),
  migrations_disabled: flag(),
  stars_disabled: flag(),
  time_tracking_disabled: flag(),
  lfs_disabled: flag(),
}).label('GeneralRepoSettings');

/** What holds for all repositories, and folders that wait to become some. */
export function siteRoutes(
  { adoption, settings }: RouteServices,
  features: PointReader<{ readonly key: string; readonly disabled: boolean }>,
): Route[] {
  const admin = { actor: 'admin', scope: 'admin' } as const;
  const off = (key: string) => features.get(key)?.disabled ?? false;
  return [
    defineRoute({
      method: 'GET',
      path: `${api}/settings/repository`,
      id: 'getGeneralRepositorySettings',
      tags: ['settings'],
      summary: 'What is switched off for repositories',
      access: { actor: 'anyone' },
      answers: { 200: settingsSchema },
      handler: () => ({
        mirrors_disabled: off('mirrors'),
        http_git_disabled: off('http_git'),
        migrations_disabled: off('migrations'),
        stars_disabled: settings.DISABLE_STARS,
        time_tracking_disabled: off('time_tracking'),
        lfs_disabled: off('lfs'),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/admin/unadopted`,
      id: 'adminUnadoptedList',
      tags: ['admin'],
      summary: 'Folders that wait to be adopted',
      access: admin,
      request: { query: Joi.object({ pattern: Joi.string().allow('').max(255), query: Joi.string().allow('') }) },
      answers: { 200: Joi.array().items(Joi.string()).label('StringSlice') },
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
      answers: { 204: null, 404: null, 409: null },
      handler: async ({ actor, params }) => (await adoption.adopt(params.owner, params.repo, actor), reply.none()),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${api}/admin/unadopted/{owner}/{repo}`,
      id: 'adminDeleteUnadoptedRepository',
      tags: ['admin'],
      summary: 'Delete a folder that waits',
      access: admin,
      answers: { 204: null, 404: null },
      handler: async ({ params }) => (await adoption.remove(params.owner, params.repo), reply.none()),
    }),
  ];
}
