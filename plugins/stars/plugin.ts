import { accountMenu, cache, database, definePlugin, fromPackage, site, takeoverMappings } from '@mortise/plugin-sdk';
import { accounts, memberships, profileTabs } from '@mortise/accounts/api';
import {
  repositories,
  repositoryAccess,
  repositoryButtons,
  repositoryCounters,
  repositoryFeatures,
  repositoryPages,
  repositoryRelations,
  repositoryWatchers,
} from '@mortise/repositories/api';
import { starsAndWatches, type StarOrWatch } from './contract/stars.js';
import { type MarkRow, StarRow } from './models/star.js';
import { WatchRow } from './models/watch.js';
import { actionRoutes } from './pages/actions.js';
import { starButton } from './pages/buttons.js';
import { userPageRoutes } from './pages/users.js';
import { starRoutes } from './routes/stars.js';
import { StarService } from './services/stars.js';
import { starSettings, watchSettings } from './settings.js';
import { t } from './texts/index.js';
import { service, registerEvents } from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [starsAndWatches, service],

  register(host) {
    const settings = host.settings('repository', starSettings);
    registerEvents(host, host.settings('service', watchSettings));
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      service,
      { database, cache, access: repositoryAccess, accounts, memberships, repositories },
      (services) => new StarService(services),
    );
    host.service(starsAndWatches, { service }, (services) => services.service);
    host.routes({ accounts, stars: starsAndWatches, repositories }, (services) =>
      starRoutes({ ...services, settings }),
    );
    host.routes({ accounts, stars: starsAndWatches, pages: repositoryPages, site }, (services) => [
      ...actionRoutes({ ...services, settings }),
      ...userPageRoutes({ ...services, settings }),
    ]);
    host.contribute(takeoverMappings, { database }, ({ database }) => ({
      key: 'stars',
      tables: async () => (await import('./takeover/tables.js')).tables,
      afterPass: async () => (await import('./takeover/tables.js')).countPublicStars(database),
    }));
    host.contribute(repositoryFeatures, { key: 'stars', disabled: settings.DISABLE_STARS });
    const shown: readonly StarOrWatch[] = settings.DISABLE_STARS ? ['watch'] : ['watch', 'star'];
    for (const kind of shown)
      host.contribute(repositoryButtons, { stars: starsAndWatches, site }, (services) =>
        starButton(kind, services.stars, services.site),
      );
    const rows: readonly (readonly [StarOrWatch, typeof MarkRow])[] = [
      ['star', StarRow],
      ['watch', WatchRow],
    ];
    for (const [key, row] of rows)
      host.contribute(repositoryRelations, {
        key,
        repositories: (userId) => row.query().select('repository_id').where('user_id', userId),
      });
    host.contribute(repositoryWatchers, { service }, (services) => ({
      key: 'watches',
      watchers: (repositoryId) => services.service.watchers(repositoryId),
    }));
    if (!settings.DISABLE_STARS) {
      host.contribute(repositoryCounters, {
        key: 'stars',
        order: 10,
        icon: 'star',
        label: t.later('counter.stars'),
        count: ({ starCount }) => starCount,
        sort: 'stars',
      });
      host.contribute(accountMenu, {
        key: 'stars',
        label: t.later('menu.stars'),
        href: (actor) => `/${actor.name}?tab=stars`,
        icon: 'star',
        order: 20,
      });
      host.contribute(profileTabs, { pages: repositoryPages }, ({ pages }) => ({
        key: 'stars',
        label: t.later('tab.stars'),
        icon: 'star',
        order: 60,
        visible: ({ account }) => account.kind === 'user',
        render: ({ account, actor, query }) =>
          pages.searchable({
            actor,
            query,
            among: { related: [{ relation: 'star', id: account.id }] },
            keep: { tab: 'stars' },
          }),
      }));
    }
  },
});
