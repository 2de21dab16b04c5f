import {
  defineRoute,
  type Database,
  type PluginDirectory,
  type PointReader,
  type Route,
  type Site,
  type SiteState,
} from '@mortise/plugin-sdk';
import type { OverviewCount, AdminPage } from '../contract/admin.js';
import { Overview } from '../pages/overview.js';
import { PluginList } from '../pages/plugins.js';
import { t } from '../texts/index.js';

interface Services {
  readonly adminPage: AdminPage;
  readonly database: Database;
  readonly plugins: PluginDirectory;
  readonly site: Site;
  readonly state: SiteState;
  readonly counts: PointReader<OverviewCount>;
}

/** How the site is doing, and what it is made of. */
export function overviewRoutes({ adminPage, database, plugins, site, state, counts }: Services): readonly Route[] {
  const access = { actor: 'admin' } as const;
  return [
    defineRoute({
      method: 'GET',
      path: '/-/admin',
      access,
      async handler({ actor }) {
        const sorted = [...counts.list()].sort((a, b) => (a.order ?? 100) - (b.order ?? 100));
        const [queues, disks, results] = await Promise.all([
          state.queues(),
          state.disks(),
          Promise.all(
            sorted.map(async ({ key, label, href, count }) => ({
              key,
              label,
              href: href && site.path(href),
              count: await count(),
            })),
          ),
        ]);
        return adminPage({
          active: 'overview',
          title: t.later('overview.title'),
          actor,
          body: (
            <Overview
              version={site.version}
              engine={database.engine}
              plugins={await plugins.states()}
              queues={queues}
              disks={disks}
              counts={results}
              healthHref={site.path('/api/healthz')}
              pluginsHref={site.path('/-/admin/plugins')}
            />
          ),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/-/admin/plugins',
      access,
      handler: async ({ actor }) => {
        const states = await plugins.states();
        return adminPage({
          active: 'plugins',
          title: t.later('plugins.title'),
          actor,
          body: <PluginList plugins={states} />,
        });
      },
    }),
  ];
}
