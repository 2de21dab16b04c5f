import {
  type PluginHost,
  createMenu,
  database,
  defineService,
  events,
  paletteSources,
  site,
} from '@mortise/plugin-sdk';
import {
  accountBlocks,
  accountPictures,
  accounts,
  dashboardDetails,
  exploreRules,
  exploreTabs,
  memberships,
  profileDetails,
  profilePages,
  profileTabs,
  settingsMenu,
  settingsPage,
} from '@mortise/accounts/api';
import { overviewCounts, adminMenu, adminPage } from '@mortise/admin/api';
import { mailer } from '@mortise/mail/api';
import { knownUnits, repositories, repositoryAccess } from '@mortise/repositories/api';
import { groupTeams, organizationPages, organizations, organizationSettingsMenu, teams } from './api.js';
import { organizationHome } from './pages/home.js';
import { OrganizationLayout } from './pages/layout.js';
import { adminPageRoutes } from './pages/admin.js';
import { createPageRoutes } from './pages/create.js';
import { explorePageRoutes } from './pages/explore.js';
import { invitationPageRoutes } from './pages/invitations.js';
import { memberPageRoutes } from './pages/members.js';
import { settingsPageRoutes } from './pages/settings-routes.js';
import { teamPageRoutes } from './pages/team-routes.js';
import { teamRepositoryPageRoutes } from './pages/team-repositories.js';
import { dashboardSlot, profileSlot, userPageRoutes } from './pages/mine.js';
import { OrganizationFinder } from './services/organization-finder.js';
import { OrganizationService } from './services/organizations.js';
import { GroupTeamService } from './services/group-teams.js';
import { TeamService } from './services/teams.js';
import { TeamUnits } from './services/units.js';
import { InvitationService } from './services/invitations.js';
import { settingsEntries } from './services/settings-menu.js';
import { settingsPalette } from './services/settings-palette.js';
import {
  adminListSettings,
  creationSettings,
  exploreSettings,
  serviceSettings,
  userListSettings,
  type ExploreSettings,
} from './settings.js';
import { t } from './texts/index.js';

/** With what only this plugin does; not part of the contract. */
export const finder = defineService<OrganizationFinder>('organizations.finder');
export const organizationService = defineService<OrganizationService>('organizations.service');
export const teamService = defineService<TeamService>('organizations.teamService');
export const teamUnits = defineService<TeamUnits>('organizations.units');
export const invitations = defineService<InvitationService>('organizations.invitations');
export const layout = defineService<OrganizationLayout>('organizations.layout');

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('service', serviceSettings);
  const creation = host.settings('admin', creationSettings);
  const explore = host.settings<ExploreSettings>('service.explore', exploreSettings);
  const tabs = host.point(profileTabs);
  const own = { accounts, memberships, organizations: organizationService, teams: teamService, site } as const;
  return { settings, creation, explore, tabs, own };
}

type Opened = ReturnType<typeof openSettings>;

export function registerServices(host: PluginHost, { settings, tabs, own }: Opened): void {
  const isMemberVisible = settings.DEFAULT_ORG_MEMBER_VISIBLE;
  host.service(finder, { database, accounts }, (services) => new OrganizationFinder(services));
  host.service(teamUnits, { knownUnits }, (services) => new TeamUnits(services.knownUnits));
  host.service(
    teamService,
    { database, events, accounts, memberships, finder, repositories, units: teamUnits },
    (services) => new TeamService({ ...services, isMemberVisible }),
  );
  host.service(
    organizationService,
    { database, events, accounts, memberships, finder, teams: teamService },
    (services) =>
      new OrganizationService({
        ...services,
        settings: { visibility: settings.DEFAULT_ORG_VISIBILITY, isMemberVisible },
      }),
  );
  host.service(organizations, { organizationService }, (services) => services.organizationService);
  host.service(teams, { teamService }, (services) => services.teamService);
  host.service(
    groupTeams,
    { organizations, teams },
    (services) => new GroupTeamService({ ...services, log: host.log }),
  );
  const entries = host.point(organizationSettingsMenu);
  host.service(
    layout,
    own,
    (services) => new OrganizationLayout({ ...services, profileTabs: tabs, settingsMenu: entries }),
  );
  host.service(organizationPages, { layout }, (services) => services.layout);
  // Without mail nobody can be invited; the service says so.
  const invited = { database, events, accounts, organizations, teams: teamService, site } as const;
  let hasMail = false;
  host.whenPresent('mail', () => {
    hasMail = true;
    host.service(invitations, { ...invited, mailer }, (services) => new InvitationService(services));
    host.routes({ accounts, invitations, site }, invitationPageRoutes);
  });
  if (!hasMail)
    host.service(invitations, invited, (services) => new InvitationService({ ...services, mailer: undefined }));
}

export function registerPages(host: PluginHost, { settings, creation, explore, tabs, own }: Opened): void {
  // ---------------------------------------------------------------- pages
  const isCreationOpen = !creation.DISABLE_REGULAR_ORG_CREATION;
  for (const entry of settingsEntries) host.contribute(organizationSettingsMenu, entry);
  const menu = host.point(organizationSettingsMenu);
  host.contribute(paletteSources, { accounts, memberships, site }, (services) =>
    settingsPalette({ ...services, menu }),
  );
  host.contribute(profilePages, { ...own, layout }, organizationHome(tabs));
  const { ORG_PAGING_NUM: maxOnProfile } = host.settings('ui.user', userListSettings);
  host.contribute(profileDetails, own, (services) => profileSlot(services, maxOnProfile));
  host.contribute(dashboardDetails, own, dashboardSlot);
  host.contribute(settingsMenu, {
    key: 'organizations',
    label: t.later('mine.title'),
    href: '/user/settings/organization',
    icon: 'organization',
    order: 70,
  });
  if (!explore.DISABLE_ORGANIZATIONS_PAGE)
    host.contribute(exploreTabs, {
      key: 'organizations',
      label: t.later('mine.title'),
      href: '/explore/organizations',
      order: 30,
    });
  host.contribute(createMenu, {
    key: 'organization',
    label: t.later('create.title'),
    href: '/org/create',
    icon: 'organization',
    order: 30,
    visible: (actor) => actor.kind === 'user' && (isCreationOpen || actor.isAdmin),
  });
  const pages = { ...own, pages: organizationPages } as const;
  host.routes(own, (services) =>
    createPageRoutes({ ...services, isCreationOpen, visibility: settings.DEFAULT_ORG_VISIBILITY }),
  );
  host.routes(pages, memberPageRoutes);
  host.routes({ ...pages, units: teamUnits, invitations }, teamPageRoutes);
  host.routes({ ...pages, repositories, access: repositoryAccess }, teamRepositoryPageRoutes);
  host.routes({ ...pages, blocks: accountBlocks, pictures: accountPictures }, settingsPageRoutes);
  host.routes({ ...own, settingsPage }, (services) => userPageRoutes({ ...services, isCreationOpen }));
  if (!explore.DISABLE_ORGANIZATIONS_PAGE)
    host.routes({ ...own, rules: exploreRules }, explorePageRoutes(host.point(exploreTabs)));
  host.whenPresent('admin', () => {
    const entry = { key: 'organizations', label: t.later('mine.title'), href: '/-/admin/orgs' } as const;
    host.contribute(adminMenu, { ...entry, icon: 'organization', order: 15 });
    host.contribute(overviewCounts, { accounts }, (services) => ({
      ...entry,
      order: 15,
      count: () => services.accounts.count({ kind: 'organization' }),
    }));
    const { ORG_PAGING_NUM: perPage } = host.settings('ui.admin', adminListSettings);
    host.routes({ accounts, organizations: organizationService, adminPage, site }, (services) =>
      adminPageRoutes({ ...services, perPage }),
    );
  });
}
