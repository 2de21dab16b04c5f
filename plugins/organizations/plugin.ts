import { database, definePlugin, defineService, events, jobs, resources, site } from '@mortise/plugin-sdk';
import {
  accountBlocks,
  accountPictures,
  accounts,
  memberships,
  membershipSources,
  reservedNames,
  userBlocked,
  userDeleting,
} from '@mortise/accounts/api';
import { packageAccessSources } from '@mortise/packages/api';
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
import { organizations, organizationSettingsMenu, organizationSidebar, organizationTabs, teams } from './api.js';
import { deleteAll, deleteRepositories } from './jobs/delete-repositories.js';
import { memberRoutes } from './routes/members.js';
import { organizationRoutes } from './routes/organizations.js';
import { organizationRepositoryRoutes, teamRepositoryRoutes } from './routes/repositories.js';
import { teamRoutes } from './routes/teams.js';
import { userRoutes } from './routes/user.js';
import { membershipSource } from './services/belonging.js';
import { OrganizationFinder } from './services/find.js';
import { OrganizationService } from './services/organizations.js';
import { makers } from './services/makers.js';
import { packageSource } from './services/package-access.js';
import { organizationResolver, teamResolver } from './services/resources.js';
import { teamRelation, teamSource } from './services/team-access.js';
import { TeamService } from './services/teams.js';
import { TeamUnits } from './services/units.js';
import { creationSettings, serviceSettings } from './settings.js';

/** With what only this plugin does; not part of the contract. */
const finder = defineService<OrganizationFinder>('organizations.finder');
const organizationService = defineService<OrganizationService>('organizations.service');
const teamService = defineService<TeamService>('organizations.teamService');
const teamUnits = defineService<TeamUnits>('organizations.units');

export default definePlugin({
  name: 'organizations',
  version: '1.0.0',
  description: 'Organizations and their teams',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', repositories: '^1.0.0' },
  optional: { packages: '^1.0.0' },
  provides: [
    organizations,
    teams,
    organizationTabs,
    organizationSettingsMenu,
    organizationSidebar,
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
      { database, events, accounts, finder, repositories, units: teamUnits },
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

    host.contribute(membershipSources, { database }, (services) => membershipSource(services.database));
    host.contribute(accessSources, { database }, (services) => teamSource(services.database));
    host.contribute(repositoryRelations, teamRelation);
    host.contribute(repositoryMakers, { organizations, teams: teamService }, makers);
    const resolving = { accounts, memberships, organizations, teams, site } as const;
    host.contribute(resources, resolving, organizationResolver);
    host.contribute(resources, resolving, teamResolver);
    host.contribute(reservedNames, { names: ['org', 'orgs', 'teams'] });

    host.whenPresent('packages', () => host.contribute(packageAccessSources, { database, memberships }, packageSource));

    host.routes({ accounts, organizations: organizationService, pictures: accountPictures }, (services) =>
      organizationRoutes({ ...services, isCreationOpen: !creation.DISABLE_REGULAR_ORG_CREATION }),
    );
    host.routes({ accounts, memberships, organizations, blocks: accountBlocks }, memberRoutes);
    host.routes({ accounts, teams, units: teamUnits }, teamRoutes);
    host.routes({ accounts, memberships, organizations: organizationService }, userRoutes);
    host.routes({ repositories, creation: repositoryCreation, jobs }, organizationRepositoryRoutes);
    host.routes({ memberships, organizations, teams, repositories, access: repositoryAccess }, teamRepositoryRoutes);

    host.job(deleteRepositories, { attempts: 5 }, { accounts, repositories }, deleteAll);

    host.on(userDeleting, 'within', 'leave', { organizationService }, ({ userId, purge }, services) =>
      services.organizationService.leaveNothing(userId, purge),
    );
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
