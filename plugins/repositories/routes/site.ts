import { Joi, defineRoute, type PointReader, type Route } from '@mortise/plugin-sdk';
import { api } from './route-options.js';

const flag = () => Joi.boolean().required();
const settingsSchema = Joi.object({
  mirrors_disabled: flag(),
  http_git_disabled: flag(),
  migrations_disabled: flag(),
  stars_disabled: flag(),
  time_tracking_disabled: flag(),
  lfs_disabled: flag(),
}).label('GeneralRepoSettings');

/** What holds for all repositories. */
export function siteRoutes(features: PointReader<{ readonly key: string; readonly disabled: boolean }>): Route[] {
  const off = (key: string, absent = false) => features.get(key)?.disabled ?? absent;
  return [
    defineRoute({
      method: 'GET',
      path: `${api}/settings/repository`,
      id: 'getGeneralRepositorySettings',
      tags: ['settings'],
      summary: 'What is switched off for repositories',
      access: { actor: 'anyone' },
      responses: { 200: settingsSchema },
      handler: () => ({
        mirrors_disabled: off('mirrors'),
        http_git_disabled: off('http_git'),
        migrations_disabled: off('migrations'),
        stars_disabled: off('stars', true),
        time_tracking_disabled: off('time_tracking'),
        lfs_disabled: off('lfs'),
      }),
    }),
  ];
}
