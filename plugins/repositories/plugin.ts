import {
  accountMenu,
  backupSources,
  createMenu,
  database,
  definePlugin,
  homePage,
  navigation,
  site,
  resources,
  unknownAddresses,
  type Actor,
  type Resolved,
} from '@mortise/plugin-sdk';
import {
  accounts,
  memberships,
  membershipSources,
  exploreTabs,
  profileTabs,
  publicKeyAdding,
  reservedNames,
  userDeleting,
  userBlocked,
  userRenamed,
  userVisibilityChanged,
} from '@mortise/accounts/api';
import { gitBackup, gitReader, gitStore, gitWriter, languageFacts, refsUpdated, refUpdates } from '@mortise/git/api';
import { markup } from '@mortise/markup/api';
import { adminFacts, adminMenu, adminPage } from '@mortise/admin/api';
import * as api from './api.js';
import { PushAccess, PushResolver } from './services/push-access.js';
import {
  derive,
  followRename,
  followVisibility,
  leaveNothing,
  noteRefs,
  partBlocked,
  refuseDeployKey,
} from './events/follow.js';
import { demoCommand } from './commands/demo.js';
import { repositoryCommands } from './commands/repositories.js';
import { sweepHalfMade } from './jobs/sweep.js';
import { adminPageRoutes } from './pages/admin.js';
import { dashboard, ownedTab } from './pages/account.js';
import { Layout } from './pages/layout.js';
import { repositoryPageRoutes } from './pages/pages.js';
import { aboutSlot } from './pages/sidebar.js';
import { aboutRoutes } from './routes/about.js';
import { avatarRoutes } from './routes/avatar.js';
import { ownershipRoutes } from './routes/ownership.js';
import { memberRoutes } from './routes/members.js';
import { repositoryRoutes } from './routes/repositories.js';
import { siteRoutes } from './routes/site.js';
import { templateRoutes } from './routes/templates.js';
import { topicRoutes } from './routes/topics.js';
import { sitemapRoutes } from './routes/sitemap.js';
import { RepositoryRow } from './models/repository.js';
import { RepositoryResolver } from './services/access.js';
import { CommitWriterService } from './services/commit-writer.js';
import { CodeResolver } from './services/go-import.js';
import { repositoryUnits } from './services/backup.js';
import { descriptionTexts } from './services/descriptions.js';
import { checkFolders, checkRows } from './services/doctor.js';
import { settingsEntries } from './services/settings-menu.js';
import { Units } from './services/units.js';
import { codeUnit } from './units/code.js';
import { actionsUnit, projectsUnit } from './units/projects.js';
import { namedBlobs } from './services/avatars.js';
import * as own from './services/refs.js';
import { registerServices } from './services/register.js';
import { avatarSettings, repositorySettings } from './settings.js';
import { t } from './texts/index.js';

export default definePlugin({
  name: 'repositories',
  version: '1.0.0',
  description: 'Repositories, collaborators, permissions',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0' },
  optional: { admin: '^1.0.0', markup: '^2.0.0' },
  provides: [
    api.repositories,
    api.repositoryAccess,
    api.repositoryResolver,
    api.repositoryMembers,
    api.deployKeys,
    api.repositoryDefaults,
    api.knownUnits,
    api.repositoryPages,
    api.repositoryMaking,
    api.repositoryCreation,
    api.commitWriter,
    api.commitSigners,
    ...own.ownServices,
    descriptionTexts,
    api.repositoryCreated,
    api.repositoryEdited,
    api.repositoryRenamed,
    api.transferOffered,
    api.repositoryDeleting,
    api.repositoryDeleted,
    api.repositoryTabs,
    api.repositorySettingsMenu,
    api.repositorySidebar,
    api.repositoryFeatures,
    api.repositoryButtons,
    api.repositoryCounters,
    api.repositoryRelations,
    api.repositoryWatchers,
    api.accessSources,
    api.branchWriters,
    api.branchAccess,
    api.accessRequirements,
    api.repositoryMakers,
    api.repositoryUnits,
    api.repositoryVisibilityChanged,
    api.repositoryAccessLost,
    api.repositoryAccessReduced,
    api.sshAddress,
    api.importPage,
    api.repositoryEdits,
    sweepHalfMade,
  ],

  register(host) {
    const settings = host.settings('repository', repositorySettings);
    const pictures = host.settings('picture', avatarSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    const descriptions = host.point(descriptionTexts);
    host.whenPresent('markup', () => {
      host.contribute(descriptionTexts, { markup }, (services) => ({
        key: 'markup',
        show: (text) => services.markup.emojify(text),
      }));
    });

    const signers = host.point(api.commitSigners);
    host.service(
      api.commitWriter,
      { accounts, reader: gitReader, writer: gitWriter, refs: refUpdates },
      (services) => new CommitWriterService({ ...services, signers }),
    );
    const tabs = host.point(api.repositoryTabs);
    const settingsMenu = host.point(api.repositorySettingsMenu);
    const buttons = host.point(api.repositoryButtons);
    const counters = host.point(api.repositoryCounters);
    const features = host.point(api.repositoryFeatures);
    host.point(api.repositorySidebar);
    const units = new Units(host.point(api.repositoryUnits), [projectsUnit, actionsUnit]);
    host.contribute(api.repositoryUnits, codeUnit);
    const points = {
      ssh: host.point(api.sshAddress),
      edits: host.point(api.repositoryEdits),
      buttons,
      tabs,
      relations: host.point(api.repositoryRelations),
      watchers: host.point(api.repositoryWatchers),
      access: host.point(api.accessSources),
      requirements: host.point(api.accessRequirements),
      makers: host.point(api.repositoryMakers),
      memberships: host.point(membershipSources),
    };
    registerServices(host, settings, pictures, points, units);
    host.service(
      own.layout,
      { site, header: own.header, presenter: own.presenter, finder: own.finder, languages: languageFacts },
      (services) =>
        new Layout({
          ...services,
          tabs,
          settingsMenu,
          buttons,
          counters,
          units,
          descriptions,
          avatarUrl: services.presenter.avatarUrl,
        }),
    );
    host.service(api.repositoryPages, { layout: own.layout }, (services) => services.layout);

    for (const entry of settingsEntries) host.contribute(api.repositorySettingsMenu, entry);
    host.contribute(api.repositorySidebar, { site }, (services) => aboutSlot(services.site));
    const resolving = { access: own.access, site, header: own.header, repositories: api.repositories } as const;
    const importPages = host.point(api.importPage);
    const resolverOf = (services: Resolved<typeof resolving>) =>
      new RepositoryResolver(services.access, services.site, services.header, importPages);
    host.service(api.repositoryResolver, resolving, resolverOf);
    host.contribute(resources, { resolver: api.repositoryResolver }, ({ resolver }) => resolver);
    const branchWriters = host.point(api.branchWriters);
    host.service(api.branchAccess, {}, () => new PushAccess(branchWriters));
    host.contribute(
      resources,
      { resolver: api.repositoryResolver, branches: api.branchAccess },
      (services) => new PushResolver(services),
    );
    const code = { resolver: api.repositoryResolver, site, repositories: api.repositories } as const;
    host.contribute(resources, code, (services) => new CodeResolver(services));
    host.contribute(unknownAddresses, code, (services) => new CodeResolver(services).below);
    host.contribute(reservedNames, { names: ['repo', 'explore', 'repo-avatars', 'sitemap.xml'] });
    host.contribute(navigation, { key: 'explore', label: t.later('menu.explore'), href: '/explore/repos', order: 20 });
    const explore = host.point(exploreTabs);
    host.contribute(exploreTabs, {
      key: 'repositories',
      label: t.later('menu.repositories'),
      href: '/explore/repos',
      order: 10,
    });
    const ofUser = ({ kind }: Actor) => kind === 'user';
    host.contribute(createMenu, {
      key: 'repository',
      label: t.later('mine.new'),
      href: '/repo/create',
      icon: 'repo',
      order: 10,
      visible: ofUser,
    });
    host.contribute(accountMenu, {
      key: 'repositories',
      label: t.later('mine.title'),
      href: () => '/user/repositories',
      icon: 'repo',
      order: 10,
    });
    host.contribute(profileTabs, { pages: api.repositoryPages }, (services) => ownedTab(services.pages));
    host.contribute(homePage, { repositories: api.repositories, pages: api.repositoryPages, site }, (services) =>
      dashboard(services.repositories, services.pages, services.site),
    );

    const repositories = own.repositoryService;
    const git = gitReader;
    host.routes(
      {
        accounts,
        repositories,
        presenter: own.presenter,
        access: own.access,
        creation: api.repositoryCreation,
        git,
      },
      (services) => repositoryRoutes({ ...services, settings, units, edits: points.edits }),
    );
    host.routes({ accounts, access: own.access, memberships, members: own.members }, memberRoutes);
    host.routes(
      { transfers: own.transfers, deployKeys: own.deployKeyService, presenter: own.presenter, repositories },
      ownershipRoutes,
    );
    host.routes({ topics: own.topics }, topicRoutes);
    host.routes({ site }, templateRoutes);
    host.routes({ git, licenses: own.licenses }, aboutRoutes);
    host.routes({ avatars: own.avatars, repositories }, avatarRoutes);
    host.routes({ repositories: api.repositories, site }, sitemapRoutes);
    host.routes({}, () => siteRoutes(features));
    host.routes(
      {
        accounts,
        database,
        git,
        site,
        repositories,
        access: own.access,
        members: own.members,
        topics: own.topics,
        presenter: own.presenter,
        header: own.header,
        transfers: own.transfers,
        deployKeys: own.deployKeyService,
        avatars: own.avatars,
        licenses: own.licenses,
        layout: own.layout,
        making: api.repositoryMaking,
      },
      (services) => repositoryPageRoutes({ ...services, settings, units, explore }),
    );

    host.whenPresent('admin', () => {
      const entry = {
        key: 'repositories',
        label: t.later('menu.repositories'),
        href: '/-/admin/repositories',
      } as const;
      host.contribute(adminMenu, { ...entry, icon: 'repo', order: 20 });
      host.contribute(adminFacts, { database }, (services) => ({
        ...entry,
        order: 20,
        count: () => services.database.query(RepositoryRow).where('is_ready', true).resultSize(),
      }));
      host.routes({ repositories, presenter: own.presenter, access: own.access, adminPage, site }, adminPageRoutes);
    });

    host.on(userVisibilityChanged, 'within', 'follow-visibility', { database }, (payload, services) =>
      followVisibility(services.database, payload),
    );
    host.on(publicKeyAdding, 'within', 'refuse-deploy-key', { database }, (payload, services) =>
      refuseDeployKey(services.database, payload),
    );
    host.on(userBlocked, 'within', 'part', { database }, (payload, services) =>
      partBlocked(services.database, payload),
    );
    host.on(userRenamed, 'within', 'follow-name', { database }, (payload, services) =>
      followRename(services.database, payload),
    );
    host.on(userDeleting, 'within', 'leave-nothing', { database, repositories }, (payload, services) =>
      leaveNothing(services.database, services.repositories, payload),
    );
    host.on(refsUpdated, 'within', 'note-refs', { database }, (payload, services) =>
      noteRefs(services.database, payload),
    );
    host.on(
      refsUpdated,
      'after',
      'derive',
      { database, reader: gitReader, store: gitStore, repositories, licenses: own.licenses },
      (payload, services) => derive(services, payload),
    );
    host.job(
      sweepHalfMade,
      { attempts: 1 },
      { repositories },
      async (_, services) => void (await services.repositories.sweep()),
    );
    host.schedule('sweep-half-made', '17 * * * *', sweepHalfMade, {});
    host.contribute(backupSources, { backup: gitBackup, store: gitStore }, ({ backup, store }) => ({
      key: 'repositories',
      units: repositoryUnits(backup, store),
      blobs: namedBlobs,
    }));
    demoCommand(host);
    repositoryCommands(host);
    host.doctor('folders', { database, store: gitStore, accounts, repositories }, (services, options) =>
      checkFolders(services, options),
    );
    host.doctor('rows', { database }, (services) => checkRows(services.database));
    host.onStart({ repositories, deployKeys: own.deployKeyService }, async ({ deployKeys, ...services }) => {
      await services.repositories.sweep();
      return () => deployKeys.uses.close();
    });
  },
});
