import {
  cache,
  database,
  definePlugin,
  defineService,
  events,
  homePage,
  navigation,
  site,
  subjects,
} from '@mortise/plugin-sdk';
import { accounts, profileTabs, publicKeys, reservedNames, userDeleting, userRenamed } from '@mortise/accounts/api';
import { gitReader, gitStore, gitWriter, refUpdates, refsUpdated } from '@mortise/git/api';
import * as api from './api.js';
import { derive, followRename, leaveNothing, noteRefs } from './events/follow.js';
import { sweepHalfMade } from './jobs/sweep.js';
import { dashboard, profileTab } from './pages/account.js';
import { Layout } from './pages/layout.js';
import { repositoryPageRoutes } from './pages/pages.js';
import { moreRoutes } from './routes/more.js';
import { ownershipRoutes } from './routes/ownership.js';
import { peopleRoutes } from './routes/people.js';
import { repositoryRoutes } from './routes/repositories.js';
import type { RouteServices } from './routes/shared.js';
import { makeRoom, type Room } from './services/room.js';
import { RepositoryResolver } from './services/access.js';
import { checkFolders } from './services/doctor.js';
import { repositorySettings } from './settings.js';

/** Everything of this plugin, built once; not part of the contract. */
const room = defineService<Room>('repositories.room');

export default definePlugin({
  name: 'repositories',
  version: '1.0.0',
  description: 'Repositories, collaborators, permissions',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0' },
  provides: [
    api.repositories,
    api.repositoryAccess,
    api.repositoryPeople,
    api.repositoryPages,
    room,
    api.repositoryCreated,
    api.repositoryEdited,
    api.repositoryRenamed,
    api.repositoryDeleting,
    api.repositoryDeleted,
    api.repositoryTabs,
    api.repositorySettingsMenu,
    api.repositorySidebar,
    sweepHalfMade,
  ],

  register(host) {
    const settings = host.settings('repository', repositorySettings);
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      room,
      { database, events, cache, site, accounts, publicKeys, gitStore, gitReader, gitWriter, refUpdates },
      (services) => makeRoom(services, settings),
    );
    host.service(api.repositories, { room }, (services) => services.room.repositories);
    host.service(api.repositoryAccess, { room }, (services) => services.room.access);
    host.service(api.repositoryPeople, { room }, (services) => services.room.people);
    const tabs = host.point(api.repositoryTabs);
    const settingsMenu = host.point(api.repositorySettingsMenu);
    host.point(api.repositorySidebar);
    host.service(api.repositoryPages, { site }, (services) => new Layout({ ...services, tabs, settingsMenu }));

    host.contribute(
      subjects,
      { room, site },
      (services) => new RepositoryResolver(services.room.access, services.site),
    );
    host.contribute(reservedNames, { names: ['repo', 'explore', 'repo-avatars'] });
    host.contribute(navigation, { key: 'explore', label: 'Explore', href: '/explore/repos', order: 20 });
    host.contribute(profileTabs, { room, pages: api.repositoryPages }, (services) =>
      profileTab(services.room, services.pages),
    );
    host.contribute(homePage, { room, pages: api.repositoryPages, site }, (services) =>
      dashboard(services.room, services.pages, services.site),
    );

    const routeServices = { room, database, accounts, gitReader, site } as const;
    const filled = (
      services: { room: Room; gitReader: RouteServices['git'] } & Pick<RouteServices, 'accounts' | 'database' | 'site'>,
    ): RouteServices => ({
      ...services,
      ...services.room,
      git: services.gitReader,
      settings,
    });
    host.routes(routeServices, (services) => repositoryRoutes(filled(services)));
    host.routes(routeServices, (services) => peopleRoutes(filled(services)));
    host.routes(routeServices, (services) => moreRoutes(filled(services)));
    host.routes(routeServices, (services) => ownershipRoutes(filled(services)));
    host.routes({ ...routeServices, layout: api.repositoryPages }, (services) =>
      repositoryPageRoutes({ ...filled(services), layout: services.layout as Layout }),
    );

    host.on(userRenamed, 'within', 'follow-name', { database }, (payload, services) =>
      followRename(services.database, payload),
    );
    host.on(userDeleting, 'within', 'leave-nothing', { database, room }, (payload, services) =>
      leaveNothing(services.database, services.room.repositories, payload),
    );
    host.on(refsUpdated, 'within', 'note-refs', { database }, (payload, services) =>
      noteRefs(services.database, payload),
    );
    host.on(refsUpdated, 'after', 'derive', { database, git: gitReader, store: gitStore, room }, (payload, services) =>
      derive({ ...services, repositories: services.room.repositories }, payload),
    );
    host.job(
      sweepHalfMade,
      { attempts: 1 },
      { room },
      async (_, services) => void (await services.room.repositories.sweep()),
    );
    host.schedule('sweep-half-made', '17 * * * *', sweepHalfMade, {});
    host.doctor('folders', { database, store: gitStore, room }, (services, options) => checkFolders(services, options));
    host.onStart({ room }, async (services) => void (await services.room.repositories.sweep()));
  },
});
