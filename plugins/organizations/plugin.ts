import {
  database,
  definePlugin,
  fromPackage,
  jobs,
  resources,
  site,
  systemActor,
  takeoverMappings,
} from '@mortise/plugin-sdk';
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
import { packageAccessSources, packageOwnerModel } from '@mortise/packages/api';
import {
  accessSources,
  repositories,
  repositoryAccess,
  repositoryCreation,
  repositoryDeleting,
  repositoryCreationPolicies,
  repositoryRelations,
  repositoryRenamed,
} from '@mortise/repositories/api';
import { groupTeams, organizationPages, organizations, organizationSettingsMenu, teams } from './api.js';
import { deleteAll, deleteRepositories } from './jobs/delete-repositories.js';
import { organizationCommands } from './commands/organizations.js';
import { memberRoutes } from './routes/members.js';
import { organizationRoutes } from './routes/organizations.js';
import { organizationRepositoryRoutes, teamRepositoryRoutes } from './routes/repositories.js';
import { teamRoutes } from './routes/teams.js';
import { userRoutes } from './routes/user.js';
import { membershipSource } from './services/membership-source.js';
import { creationPolicy } from './services/creation-policy.js';
import { packageSource } from './services/package-access.js';
import { organizationResolver, teamResolver } from './services/resources.js';
import { teamRelation, teamSource } from './services/team-access.js';
import {
  finder,
  organizationService,
  teamService,
  teamUnits,
  invitations,
  layout,
  openSettings,
  registerServices,
  registerPages,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
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
    const opened = openSettings(host);
    const { creation } = opened;
    registerServices(host, opened);
    registerPages(host, opened);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'organizations',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    host.contribute(membershipSources, { database }, (services) => membershipSource(services.database));
    host.contribute(accessSources, { database }, (services) => teamSource(services.database));
    host.contribute(repositoryRelations, teamRelation);
    host.contribute(
      repositoryCreationPolicies,
      { accounts, memberships, organizations, teams: teamService },
      creationPolicy,
    );
    const resolving = { accounts, memberships, organizations, teams: teamService, site } as const;
    host.contribute(resources, resolving, organizationResolver);
    host.contribute(resources, resolving, teamResolver);
    host.contribute(reservedNames, { names: ['org', 'orgs', 'teams', 'invite'] });
    host.whenPresent('packages', () => {
      host.contribute(packageAccessSources, { database, memberships }, packageSource);
      host.contribute(packageOwnerModel, { organizations }, (services) => ({
        async organization(id) {
          const organization = await services.organizations.byId(id);
          return organization && services.organizations.toApi(organization, systemActor('organizations'));
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
    host.job(deleteRepositories, { attempts: 5 }, { accounts, repositories }, deleteAll);
    host.on(userDeleting, 'within', 'leave', { organizationService }, ({ userId, purge }, services) =>
      services.organizationService.removeUser(userId, purge),
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
