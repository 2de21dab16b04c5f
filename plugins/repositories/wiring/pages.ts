import {
  type PluginHost,
  accountMenu,
  createMenu,
  database,
  homePage,
  navigation,
  paletteSources,
  site,
  resources,
  unknownAddresses,
  type Actor,
  type Resolved,
  crawledPaths,
  searchTargets,
  siteFeatures,
} from '@mortise/plugin-sdk';
import {
  accounts,
  exploreRules,
  exploreTabs,
  profileTabs,
  publicKeyAdding,
  reservedNames,
  userDeleting,
  userBlocked,
  userRenamed,
  userVisibilityChanged,
  dashboardSteps,
  type DashboardStep,
} from '@mortise/accounts/api';
import {
  gitReader,
  repositoryStorages,
  gitStore,
  languageColors,
  refsUpdated,
  repositoryDamaged,
} from '@mortise/git/api';
import { overviewCounts, adminMenu, adminPage, siteNotices } from '@mortise/admin/api';
import * as api from '../api.js';
import { PushAccess, PushResolver } from '../services/push-access.js';
import {
  addDamageNotice,
  derive,
  followRename,
  followVisibility,
  deleteOwned,
  recordRefUpdate,
  removeBlocked,
  refuseDeployKey,
} from '../events/follow.js';
import { adminPageRoutes } from '../pages/admin.js';
import { dashboard, ownedTab } from '../pages/account.js';
import { Layout } from '../pages/layout.js';
import { repositoryPageRoutes } from '../pages/pages.js';
import { aboutSlot } from '../pages/sidebar.js';
import { RepositoryRow } from '../models/repository.js';
import { RepositoryResolver } from '../services/access.js';
import { CodeResolver } from '../services/go-import.js';
import { descriptionTexts } from '../services/descriptions.js';
import { settingsEntries } from '../services/settings-menu.js';
import { settingsPalette } from '../services/settings-palette.js';
import { Units } from '../services/units.js';
import { actionsUnit, projectsUnit } from '../units/projects.js';
import * as own from '../services/service-refs.js';
import {
  adminListSettings,
  repositorySettings,
  searchDefaults,
  searchSettings,
  userListSettings,
} from '../settings.js';
import { t } from '../texts/index.js';

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('repository', repositorySettings);
  const tabs = host.point(api.repositoryTabs);
  const buttons = host.point(api.repositoryButtons);
  const units = new Units(host.point(api.repositoryUnits), [projectsUnit, actionsUnit]);
  const repositories = own.repositoryService;
  const git = gitReader;
  return { settings, tabs, buttons, units, repositories, git };
}

type Opened = ReturnType<typeof openSettings>;

const firstRepositoryStep = ({ repositories }: { readonly repositories: api.Repositories }): DashboardStep => ({
  key: 'repository',
  list: 'user',
  order: 30,
  label: t.later('step.repository'),
  path: '/repo/create',
  isDone: async (actor) =>
    (await repositories.search({ ownerId: actor.id, exclusive: true, limit: 1, offset: 0 }, actor)).total > 0,
});

export function registerPages(host: PluginHost, { settings, tabs, buttons, units, repositories, git }: Opened): void {
  const descriptions = host.point(descriptionTexts);
  const settingsMenu = host.point(api.repositorySettingsMenu);
  const counters = host.point(api.repositoryCounters);
  const searching = searchDefaults(host.settings('ui', searchSettings));
  const { REPO_PAGING_NUM: perPage } = host.settings('ui.user', userListSettings);
  host.service(
    own.layout,
    { site, header: own.header, presenter: own.presenter, finder: own.finder, languages: languageColors },
    (services) =>
      new Layout({
        ...services,
        tabs,
        settingsMenu,
        buttons,
        counters,
        units,
        descriptions,
        perPage,
        searching,
        offersArchives: !settings.DISABLE_DOWNLOAD_SOURCE_ARCHIVES,
        avatarUrl: services.presenter.avatarUrl,
      }),
  );
  host.service(api.repositoryPages, { layout: own.layout }, (services) => services.layout);
  for (const entry of settingsEntries) host.contribute(api.repositorySettingsMenu, entry);
  host.contribute(paletteSources, { access: api.repositoryAccess, layout: own.layout }, settingsPalette);
  host.contribute(api.repositorySidebar, { site }, (services) => aboutSlot(services.site));
  host.contribute(reservedNames, { names: ['repo', 'explore', 'repo-avatars', 'sitemap.xml'] });
  host.contribute(siteFeatures, {
    key: 'repositories',
    icon: 'repo',
    title: t.later('menu.repositories'),
    text: t.later('feature.text'),
    order: 10,
  });
  host.contribute(crawledPaths, { key: 'repositories', includes: (path) => path.includes('{repo') });
  const explore = host.point(exploreTabs);
  const starts = host.point(api.newRepositoryStarts);
  registerExplore(host);
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
  host.contribute(dashboardSteps, { repositories: api.repositories }, firstRepositoryStep);
  host.contribute(homePage, { repositories: api.repositories, pages: api.repositoryPages, site }, (services) =>
    dashboard(services.repositories, services.pages, services.site),
  );
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
      creator: api.repositoryCreator,
      rules: exploreRules,
    },
    (services) => repositoryPageRoutes({ ...services, settings, units, explore, starts }),
  );
  host.whenPresent('admin', () => registerAdminPages(host, repositories, searching.includeDescription));
}

function registerAdminPages(host: PluginHost, repositories: Opened['repositories'], includeDescription: boolean): void {
  const entry = {
    key: 'repositories',
    label: t.later('menu.repositories'),
    href: '/-/admin/repositories',
  } as const;
  host.contribute(adminMenu, { ...entry, icon: 'repo', order: 20 });
  host.contribute(overviewCounts, { database }, (services) => ({
    ...entry,
    order: 20,
    count: () => services.database.query(RepositoryRow).where('is_ready', true).resultSize(),
  }));
  const storages = repositoryStorages;
  const { REPO_PAGING_NUM: listed } = host.settings('ui.admin', adminListSettings);
  host.routes({ repositories, presenter: own.presenter, access: own.access, adminPage, site, storages }, (services) =>
    adminPageRoutes({ ...services, perPage: listed, includeDescription }),
  );
}

export function registerResources(host: PluginHost, { settings }: Opened): void {
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
  const ssh = host.point(api.sshAddress);
  const sshAddress = (path: string) =>
    settings.GO_GET_CLONE_URL_PROTOCOL === 'ssh' ? ssh.list()[0]?.address(path) : undefined;
  host.contribute(resources, code, (services) => new CodeResolver({ ...services, sshAddress }));
  host.contribute(unknownAddresses, code, (services) => new CodeResolver({ ...services, sshAddress }).below);
}

export function registerEvents(host: PluginHost, { repositories }: Opened): void {
  host.on(userVisibilityChanged, 'within', 'follow-visibility', { database }, (payload, services) =>
    followVisibility(services.database, payload),
  );
  host.on(publicKeyAdding, 'within', 'refuse-deploy-key', { database }, (payload, services) =>
    refuseDeployKey(services.database, payload),
  );
  host.on(userBlocked, 'within', 'part', { database }, (payload, services) =>
    removeBlocked(services.database, payload),
  );
  host.on(userRenamed, 'within', 'follow-name', { database }, (payload, services) =>
    followRename(services.database, payload),
  );
  host.on(userDeleting, 'within', 'leave-nothing', { database, repositories }, (payload, services) =>
    deleteOwned(services.database, services.repositories, payload),
  );
  host.on(refsUpdated, 'within', 'note-refs', { database }, (payload, services) =>
    recordRefUpdate(services.database, payload),
  );
  host.on(
    refsUpdated,
    'after',
    'derive',
    { database, reader: gitReader, store: gitStore, repositories, licenses: own.licenses },
    (payload, services) => derive(services, payload),
  );
  host.whenPresent('admin', () =>
    host.on(repositoryDamaged, 'within', 'damage-notice', { database, siteNotices }, (payload, services) =>
      addDamageNotice(services, payload),
    ),
  );
}

/** The way to all repositories. */
function registerExplore(host: PluginHost): void {
  host.contribute(searchTargets, { key: 'repositories', path: '/explore/repos', order: 100 });
  host.contribute(navigation, { rules: exploreRules }, ({ rules }) => ({
    key: 'explore',
    label: t.later('menu.explore'),
    href: '/explore/repos',
    order: 20,
    visible: ({ kind }) => rules.actor === 'anyone' || kind !== 'anonymous',
  }));
  host.contribute(exploreTabs, {
    key: 'repositories',
    label: t.later('menu.repositories'),
    href: '/explore/repos',
    order: 10,
  });
}
