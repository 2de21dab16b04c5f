import { Forbidden, Invalid } from '@mortise/plugin-sdk';
import type { RepositoryCreationPolicy } from '@mortise/repositories/api';
import type { Accounts, Memberships } from '@mortise/accounts/api';
import type { Organizations } from '../api.js';
import type { TeamService } from './teams.js';
import { t } from '../texts/index.js';

/** Teams in one form; of more, clients of the API choose. */
const maxOffered = 300;

/** Who makes repositories for organizations, and which teams get those that are handed over to them. */
export const creationPolicy = ({
  accounts,
  memberships,
  organizations,
  teams,
}: {
  accounts: Accounts;
  memberships: Memberships;
  organizations: Organizations;
  teams: TeamService;
}): RepositoryCreationPolicy => ({
  key: 'organizations',
  mayMake: async (actor, owner) =>
    actor.kind === 'user' &&
    owner.kind === 'organization' &&
    (await organizations.rights(actor.id, owner.id)).canCreateRepository,
  async owners(actor) {
    // Kept between requests, and empty for most.
    if (actor.kind !== 'user' || (await memberships.of(actor.id)).size === 0) return [];
    const accountsById = await accounts.byIds(await teams.creatableIn(actor.id));
    return [...accountsById.values()].sort((one, other) => (one.lowerName < other.lowerName ? -1 : 1));
  },
  async teamsOf(actor, owners) {
    const organizationIds = owners.filter(({ kind }) => kind === 'organization').map(({ id }) => id);
    const offered = new Map<number, { id: number; name: string }[]>();
    if (organizationIds.length === 0) return offered;
    const results = await teams.search({ organizationIds, visibleTo: actor, limit: maxOffered, offset: 0 });
    for (const { id, name, organizationId, authorization } of results.items) {
      // owners have every repository
      if (authorization === 'owner') continue;
      offered.set(organizationId, [...(offered.get(organizationId) ?? []), { id, name }]);
    }
    return offered;
  },
  async teamRecords(teamIds, actor) {
    if (teamIds.length === 0) return new Map();
    const teamsById = await teams.byIds(teamIds);
    const organizationIds = [...new Set([...teamsById.values()].map(({ organizationId }) => organizationId))];
    const names = [...teamsById.values()].map(({ name }) => name);
    const search = { organizationIds, names, visibleTo: actor, limit: maxOffered, offset: 0 };
    const seen = (await teams.search(search)).items.filter(({ id }) => teamsById.has(id));
    return new Map((await teams.toApi(seen, actor)).map((record) => [record.id, record]));
  },
  async checkTeams(owner, teamIds) {
    const teamsById = await teams.byIds(teamIds);
    for (const id of teamIds) {
      const team = teamsById.get(id);
      if (!team) throw Invalid(t.later('error.noTeam', { id }));
      if (team.organizationId !== owner.id) throw Forbidden(t.later('error.foreignTeam', { id }));
    }
  },
  async giveTeams(repository, teamIds) {
    for (const team of (await teams.byIds(teamIds)).values())
      if (team.organizationId === repository.ownerId) await teams.addRepository(team, repository);
  },
});
