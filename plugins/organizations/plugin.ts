import {
  createMenu,
  database,
  definePlugin,
  defineService,
  events,
  jobs,
  resources,
  site,
  systemActor,
} from '@mortise/plugin-sdk';
import {
  accountBlocks,
  accountPictures,
  accounts,
  dashboardDetails,
  exploreTabs,
  memberships,
  membershipSources,
  profileDetails,
  profilePages,
  profileTabs,
  reservedNames,
  settingsMenu,
  settingsPage,
  userBlocked,
  userDeleting,
} from '@mortise/accounts/api';
import { adminFacts, adminMenu, adminPage } from '@mortise/admin/api';
import { mailer } from '@mortise/mail/api';
import { packageAccessSources, packageOwnerModel } from '@mortise/packages/api';
import {
  accessSources,
  knownUnits,
  repositories,
  repositoryAccess,
  repositoryCreation,
  repositoryDeleting,
  repositoryMakers,
  repositoryRelations,
  repositoryRenamed,
} from '@mortise/repositories/api';
import { groupTeams, organizationPages, organizations, organizationSettingsMenu, teams } from './api.js';
import { deleteAll, deleteRepositories } from './jobs/delete-repositories.js';
import { organizationCommands } from './commands/organizations.js';
import { organizationHome } from './pages/home.js';
import { OrganizationLayout } from './pages/layout.js';
import { adminPageRoutes } from './routes/admin-pages.js';
import { createPageRoutes } from './routes/create-pages.js';
import { explorePageRoutes } from './routes/explore-pages.js';
import { invitationPageRoutes } from './routes/invitation-pages.js';
import { memberPageRoutes } from './routes/member-pages.js';
import { memberRoutes } from './routes/members.js';
import { organizationRoutes } from './routes/organizations.js';
import { organizationRepositoryRoutes, teamRepositoryRoutes } from './routes/repositories.js';
import { settingsPageRoutes } from './routes/settings-pages.js';
import { teamPageRoutes } from './routes/team-pages.js';
import { teamRepositoryPageRoutes } from './routes/team-repository-pages.js';
import { teamRoutes } from './routes/teams.js';
import { dashboardSlot, profileSlot, userPageRoutes } from './routes/user-pages.js';
import { userRoutes } from './routes/user.js';
import { membershipSource } from './services/belonging.js';
import { OrganizationFinder } from './services/find.js';
import { OrganizationService } from './services/organizations.js';
import { GroupTeamService } from './services/group-teams.js';
import { makers } from './services/makers.js';
import { packageSource } from './services/package-access.js';
import { organizationResolver, teamResolver } from './services/resources.js';
import { teamRelation, teamSource } from './services/team-access.js';
import { TeamService } from './services/teams.js';
import { TeamUnits } from './services/units.js';
import { InvitationService } from './services/invitations.js';
import { settingsEntries } from './services/settings-menu.js';
import { creationSettings, serviceSettings } from './settings.js';
import { t } from './texts/index.js';

/** With what only this plugin does; not part of the contract. */
const finder = defineService<OrganizationFinder>('organizations.finder');
const organizationService = defineService<OrganizationService>('organizations.service');
const teamService = defineService<TeamService>('organizations.teamService');
const teamUnits = defineService<TeamUnits>('organizations.units');
const invitations = defineService<InvitationService>('organizations.invitations');
const layout = defineService<OrganizationLayout>('organizations.layout');

export default definePlugin({
  name: 'organizations',
  version: '1.0.0',
  description: 'Organizations and their teams',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', repositories: '^1.0.0' },
  optional: { admin: '^1.0.0', mail: '^1.0.0', packages: '^1.0.0' },
  provides: [
    organizations,
    teams,
    groupTeams,
    organizationPages,
    organizationSettingsMenu,
    invitations,
    layout,
    deleteRepositories,
    finder,
    organizationService,
    teamService,
    teamUnits,
  ],

  register(host) {
    const settings = host.settings('service', serviceSettings);
    const creation = host.settings('admin', creationSettings);
    const isMemberVisible = settings.DEFAULT_ORG_MEMBER_VISIBLE;
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(finder, { database, accounts }, (services) => new OrganizationFinder(services));
    host.service(teamUnits, { knownUnits }, (services) => new TeamUnits(services.knownUnits));
    host.service(
      teamService,
      { database, events, accounts, memberships, finder, repositories, units: teamUnits },
      (services) => new TeamService({ ...services, isMemberVisible }),
    );
    host.service(
      organizationService,
      { database, accounts, memberships, finder, teams: teamService },
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

    host.contribute(membershipSources, { database }, (services) => membershipSource(services.database));
    host.contribute(accessSources, { database }, (services) => teamSource(services.database));
    host.contribute(repositoryRelations, teamRelation);
    host.contribute(repositoryMakers, { accounts, memberships, organizations, teams: teamService }, makers);
    const resolving = { accounts, memberships, organizations, teams: teamService, site } as const;
    host.contribute(resources, resolving, organizationResolver);
    host.contribute(resources, resolving, teamResolver);
    host.contribute(reservedNames, { names: ['org', 'orgs', 'teams', 'invite'] });

    host.whenPresent('packages', () => {
      host.contribute(packageAccessSources, { database, memberships }, packageSource);
      host.contribute(packageOwnerModel, { organizations }, (services) => ({
        async organization(id) {
          const found = await services.organizations.byId(id);
          return found && services.organizations.toApi(found, systemActor('organizations'));
        },
      }));
    });

    host.routes({ accounts, organizations: organizationService, pictures: accountPictures }, (services) =>
      organizationRoutes({ ...services, isCreationOpen: !creation.DISABLE_REGULAR_ORG_CREATION }),
    );
    host.routes({ accounts, memberships, organizations, blocks: accountBlocks }, memberRoutes);
    host.routes({ accounts, teams, units: teamUnits }, teamRoutes);
    host.routes({ accounts, memberships, organizations: organizationService }, userRoutes);
    host.routes({ repositories, creation: repositoryCreation, jobs }, organizationRepositoryRoutes);
    host.routes({ memberships, organizations, teams, repositories, access: repositoryAccess }, teamRepositoryRoutes);

    // ---------------------------------------------------------------- pages
    const isCreationOpen = !creation.DISABLE_REGULAR_ORG_CREATION;
    const tabs = host.point(profileTabs);
    const entries = host.point(organizationSettingsMenu);
    const own = { accounts, memberships, organizations: organizationService, teams: teamService, site } as const;
    host.service(
      layout,
      own,
      (services) => new OrganizationLayout({ ...services, profileTabs: tabs, settingsMenu: entries }),
    );
    host.service(organizationPages, { layout }, (services) => services.layout);
    for (const entry of settingsEntries) host.contribute(organizationSettingsMenu, entry);
    host.contribute(profilePages, { ...own, layout }, organizationHome(tabs));
    host.contribute(profileDetails, own, profileSlot);
    host.contribute(dashboardDetails, own, dashboardSlot);
    host.contribute(settingsMenu, {
      key: 'organizations',
      label: t.later('mine.title'),
      href: '/user/settings/organization',
      icon: 'organization',
      order: 70,
    });
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
    // Without mail nobody can be invited; the service says so.
    const invited = { database, accounts, organizations, teams: teamService, site } as const;
    let hasMail = false;
    host.whenPresent('mail', () => {
      hasMail = true;
      host.service(invitations, { ...invited, mailer }, (services) => new InvitationService(services));
      host.routes({ accounts, invitations, site }, invitationPageRoutes);
    });
    if (!hasMail)
      host.service(invitations, invited, (services) => new InvitationService({ ...services, mailer: undefined }));
    host.routes({ ...pages, units: teamUnits, invitations }, teamPageRoutes);
    host.routes({ ...pages, repositories, access: repositoryAccess }, teamRepositoryPageRoutes);
    host.routes({ ...pages, blocks: accountBlocks, pictures: accountPictures }, settingsPageRoutes);
    host.routes({ ...own, settingsPage }, (services) => userPageRoutes({ ...services, isCreationOpen }));
    host.routes(own, explorePageRoutes(host.point(exploreTabs)));

    host.whenPresent('admin', () => {
      const entry = { key: 'organizations', label: t.later('mine.title'), href: '/-/admin/orgs' } as const;
      host.contribute(adminMenu, { ...entry, icon: 'organization', order: 15 });
      host.contribute(adminFacts, { accounts }, (services) => ({
        ...entry,
        order: 15,
        count: () => services.accounts.count({ kind: 'organization' }),
      }));
      host.routes({ accounts, organizations: organizationService, adminPage, site }, adminPageRoutes);
    });

    host.job(deleteRepositories, { attempts: 5 }, { accounts, repositories }, deleteAll);

    host.on(userDeleting, 'within', 'leave', { organizationService }, ({ userId, purge }, services) =>
      services.organizationService.leaveNothing(userId, purge),
    );
    organizationCommands(host);
    host.on(userBlocked, 'within', 'part', { organizationService }, ({ blockerId, blockedId }, services) =>
      services.organizationService.removeMember(blockerId, blockedId),
    );
    host.on(repositoryDeleting, 'within', 'forget', { teamService }, ({ repositoryId }, services) =>
      services.teamService.forgetRepository(repositoryId),
    );
    host.on(
      repositoryRenamed,
      'within',
      'leave-teams',
      { repositories, teamService },
      async ({ repositoryId }, services) => {
        const repository = await services.repositories.byId(repositoryId);
        await services.teamService.forgetRepository(repositoryId, repository?.ownerId);
      },
    );
  },
});
