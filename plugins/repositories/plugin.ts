import {
  cache,
  database,
  definePlugin,
  defineService,
  events,
  homePage,
  locks,
  navigation,
  site,
  storage,
  subjects,
} from '@mortise/plugin-sdk';
import {
  accounts,
  profileTabs,
  publicKeyAdding,
  publicKeys,
  reservedNames,
  settingsMenu,
  settingsPage,
  userDeleting,
  userBlocked,
  userRenamed,
  userVisibilityChanged,
} from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { gitProcesses, gitReader, gitStore, gitWriter, refChecks, refUpdates, refsUpdated } from '@mortise/git/api';
import * as api from './api.js';
import {
  derive,
  followRename,
  followVisibility,
  leaveNothing,
  noteRefs,
  partBlocked,
  refuseDeployKey,
} from './events/follow.js';
import { sweepHalfMade } from './jobs/sweep.js';
import { adoptionPageRoutes } from './pages/adoption.js';
import { dashboard, profileTabOf } from './pages/account.js';
import { Layout } from './pages/layout.js';
import { repositoryPageRoutes } from './pages/pages.js';
import { aboutSlot, upstreamSlot } from './pages/sidebar.js';
import { aboutRoutes } from './routes/about.js';
import { avatarRoutes } from './routes/avatar.js';
import { gitHookRoutes } from './routes/git-hooks.js';
import { markRoutes } from './routes/marks.js';
import { ownershipRoutes } from './routes/ownership.js';
import { peopleRoutes } from './routes/people.js';
import { repositoryRoutes } from './routes/repositories.js';
import { siteRoutes } from './routes/site.js';
import { templateRoutes } from './routes/templates.js';
import { topicAndForkRoutes } from './routes/topics-and-forks.js';
import { sitemapRoutes } from './routes/sitemap.js';
import type { RouteServices } from './routes/shared.js';
import { makeRoom, type Room } from './services/room.js';
import { RepositoryResolver } from './services/access.js';
import { checkFolders } from './services/doctor.js';
import { avatarSettings, hookSettings, repositorySettings } from './settings.js';

const settingsEntries = (hooksOff: boolean): api.RepositorySettingsEntry[] => [
  { key: 'general', label: 'General', icon: 'gear', href: '', order: 0 },
  { key: 'collaborators', label: 'Collaborators', icon: 'people', href: 'collaboration', order: 10 },
  { key: 'keys', label: 'Deploy keys', icon: 'key', href: 'keys', order: 30 },
  ...(hooksOff ? [] : [{ key: 'git-hooks', label: 'Git hooks', icon: 'terminal', href: 'git-hooks', order: 45 }]),
];

/** Everything of this plugin, built once; not part of the contract. */
const room = defineService<Room>('repositories.room');

export default definePlugin({
  name: 'repositories',
  version: '1.0.0',
  description: 'Repositories, collaborators, permissions',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0' },
  optional: { admin: '^1.0.0' },
  provides: [
    api.repositories,
    api.repositoryAccess,
    api.repositoryPeople,
    api.deployKeys,
    api.repositoryDefaults,
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
    api.repositoryFeatures,
    api.sshAddress,
    api.repositoryGenerated,
    sweepHalfMade,
  ],

  register(host) {
    const settings = host.settings('repository', repositorySettings);
    const allSettings = {
      repository: settings,
      hooks: host.settings('security', hookSettings),
      avatars: host.settings('picture', avatarSettings),
    };
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(api.repositoryDefaults, {}, () => ({ branch: settings.DEFAULT_BRANCH }));
    const ssh = host.point(api.sshAddress);
    host.service(
      room,
      {
        database,
        events,
        cache,
        locks,
        site,
        storage,
        accounts,
        publicKeys,
        gitStore,
        gitReader,
        gitWriter,
        gitProcesses,
        refUpdates,
      },
      (services) => makeRoom(services, allSettings, (path) => ssh.list()[0]?.address(path) ?? ''),
    );
    host.service(api.repositories, { room }, (services) => services.room.repositories);
    host.service(api.repositoryAccess, { room }, (services) => services.room.access);
    host.service(api.repositoryPeople, { room }, (services) => services.room.people);
    host.service(api.deployKeys, { room }, (services) => services.room.deployKeys);
    const tabs = host.point(api.repositoryTabs);
    const repositoryMenu = host.point(api.repositorySettingsMenu);
    host.point(api.repositorySidebar);
    host.service(
      api.repositoryPages,
      { site, room },
      (services) =>
        new Layout({
          site: services.site,
          tabs,
          settingsMenu: repositoryMenu,
          header: services.room.header,
          avatarUrl: services.room.presenter.avatarUrl,
          starsOff: settings.DISABLE_STARS,
        }),
    );
    for (const entry of settingsEntries(allSettings.hooks.DISABLE_GIT_HOOKS))
      host.contribute(api.repositorySettingsMenu, entry);
    host.contribute(api.repositorySidebar, { site }, (services) => aboutSlot(services.site));
    host.contribute(api.repositorySidebar, { room, site }, (services) => upstreamSlot(services.room, services.site));

    host.contribute(
      subjects,
      { room, site },
      (services) => new RepositoryResolver(services.room.access, services.site, services.room.header),
    );
    host.contribute(reservedNames, { names: ['repo', 'explore', 'repo-avatars', 'sitemap.xml'] });
    host.contribute(navigation, { key: 'explore', label: 'Explore', href: '/explore/repos', order: 20 });
    for (const key of settings.DISABLE_STARS ? (['repositories'] as const) : (['repositories', 'stars'] as const))
      host.contribute(profileTabs, { room, pages: api.repositoryPages }, (services) =>
        profileTabOf(key, services.room, services.pages),
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
    for (const routes of [
      repositoryRoutes,
      peopleRoutes,
      markRoutes,
      ownershipRoutes,
      topicAndForkRoutes,
      templateRoutes,
      aboutRoutes,
      avatarRoutes,
      gitHookRoutes,
    ])
      host.routes(routeServices, (services) => routes(filled(services)));
    host.routes({ repositories: api.repositories, site }, sitemapRoutes);
    const features = host.point(api.repositoryFeatures);
    host.routes(routeServices, (services) => siteRoutes(filled(services), features));
    host.routes({ ...routeServices, layout: api.repositoryPages }, (services) =>
      repositoryPageRoutes({ ...filled(services), layout: services.layout as Layout }),
    );

    const adopting = { label: 'Folders to adopt', icon: 'file-directory', order: 70 } as const;
    if (settings.ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES || settings.ALLOW_DELETION_OF_UNADOPTED_REPOSITORIES) {
      const path = '/user/settings/adopt';
      host.contribute(settingsMenu, { key: 'adopt', href: path, ...adopting });
      host.routes({ ...routeServices, frame: settingsPage }, ({ frame, ...services }) =>
        adoptionPageRoutes(filled(services), { path, key: 'adopt', frame, everybody: false }),
      );
    }
    host.whenPresent('admin', () => {
      const path = '/-/admin/adopt';
      host.contribute(adminMenu, { key: 'adopt', href: path, ...adopting });
      host.routes({ ...routeServices, frame: adminPage }, ({ frame, ...services }) =>
        adoptionPageRoutes(filled(services), { path, key: 'adopt', frame, everybody: true }),
      );
    });

    host.on(userVisibilityChanged, 'within', 'follow-visibility', { database }, (payload, services) =>
      followVisibility(services.database, payload),
    );
    host.on(publicKeyAdding, 'within', 'refuse-deploy-key', { database }, (payload, services) =>
      refuseDeployKey(services.database, payload),
    );
    host.on(userBlocked, 'within', 'part', { database, room }, (payload, services) =>
      partBlocked(services.database, services.room.people, payload),
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
    host.on(
      refsUpdated,
      'after',
      'derive',
      { database, reader: gitReader, store: gitStore, room },
      (payload, services) => derive({ ...services, ...services.room }, payload),
    );
    host.contribute(refChecks, { room }, (services) => ({
      key: 'repositories.hooks',
      // After every check that costs nothing.
      order: 900,
      check: (change) => services.room.hooks.check(change),
    }));
    host.on(refsUpdated, 'after', 'git-hooks', { room }, ({ repositoryId, kind, updates, pusherName }, services) =>
      services.room.hooks.after(repositoryId, kind, updates, pusherName),
    );
    host.job(
      sweepHalfMade,
      { attempts: 1 },
      { room },
      async (_, services) => void (await services.room.repositories.sweep()),
    );
    host.schedule('sweep-half-made', '17 * * * *', sweepHalfMade, {});
    host.doctor('folders', { database, store: gitStore, accounts, room }, (services, options) =>
      checkFolders(services, options),
    );
    host.onStart({ room }, async ({ room: { repositories, deployKeys } }) => {
      await repositories.sweep();
      const timer = setInterval(
        () =>
          void deployKeys
            .flush()
            .catch((error: Error) => host.log.warn('writing uses of deploy keys failed', { error: error.message })),
        60_000,
      );
      timer.unref();
      return async () => {
        clearInterval(timer);
        await deployKeys.flush();
      };
    });
  },
});
