import { accountMenu, cache, database, definePlugin, defineService, site } from '@mortise/plugin-sdk';
import {
  accounts,
  memberships,
  profileTabs,
  userBlocked,
  userDeleting,
  userVisibilityChanged,
} from '@mortise/accounts/api';
import {
  repositories,
  repositoryAccess,
  repositoryAccessLost,
  repositoryAccessReduced,
  repositoryButtons,
  repositoryCounters,
  repositoryCreated,
  repositoryDeleting,
  repositoryRenamed,
  repositoryFeatures,
  repositoryPages,
  repositoryRelations,
  repositoryVisibilityChanged,
  repositoryWatchers,
} from '@mortise/repositories/api';
import { starsAndWatches, type StarOrWatch } from './api.js';
import { type MarkRow, StarRow, WatchRow } from './models/stars.js';
import { actionRoutes } from './pages/actions.js';
import { starButton } from './pages/buttons.js';
import { userPageRoutes } from './pages/users.js';
import { starRoutes } from './routes/stars.js';
import { StarService } from './services/stars.js';
import { starSettings } from './settings.js';
import { t } from './texts/index.js';

/** With what only this plugin does; not part of the contract. */
const service = defineService<StarService>('stars.service');

export default definePlugin({
  name: 'stars',
  version: '1.0.0',
  description: 'Stars and watches of repositories',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', repositories: '^1.0.0' },
  provides: [starsAndWatches, service],

  register(host) {
    const settings = host.settings('repository', starSettings);
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

    host.on(repositoryCreated, 'within', 'watch-own', { service }, async (made, services) => {
      if (made.actorKind === 'user') await services.service.watchOwn(made.repositoryId, made.actorId);
    });
    host.on(repositoryVisibilityChanged, 'within', 'follow-visibility', { service }, async (change, services) => {
      if (!change.isPrivate) await services.service.published(change.repositoryIds);
      else for (const id of change.repositoryIds) await services.service.clearStars(id);
    });
    host.on(repositoryVisibilityChanged, 'after', 'forget-outsiders', { service }, async (change, services) => {
      if (change.isPrivate) for (const id of change.repositoryIds) await services.service.forgetOutsiders(id);
    });
    host.on(repositoryRenamed, 'after', 'forget-others', { service }, async ({ repositoryId, from, to }, services) => {
      // another owner, whom not everybody may see
      if (from.split('/')[0] === to.split('/')[0]) return;
      await services.service.forgetOutsiders(repositoryId);
      await services.service.ownerChanged(repositoryId);
    });
    host.on(userVisibilityChanged, 'within', 'count-public', { service }, ({ userId, visibility }, services) =>
      services.service.ownerVisibilityChanged(userId, visibility === 'public'),
    );
    host.on(repositoryAccessLost, 'within', 'forget', { service }, ({ repositoryId, userId }, services) =>
      services.service.forget(repositoryId, userId),
    );
    host.on(repositoryAccessReduced, 'after', 'forget-unreadable', { service }, async (reduced, services) => {
      for (const userId of reduced.userIds) await services.service.forgetUnreadable(userId, reduced.ownerId);
    });
    host.on(repositoryDeleting, 'within', 'uncount', { service }, ({ repositoryId }, services) =>
      services.service.repositoryDeleting(repositoryId),
    );
    host.on(userDeleting, 'within', 'forget-user', { service }, ({ userId }, services) =>
      services.service.userDeleting(userId),
    );
    host.on(userBlocked, 'within', 'part', { service }, ({ blockerId, blockedId }, services) =>
      services.service.part(blockerId, blockedId),
    );
  },
});
