import { Forbidden, Invalid } from '@mortise/plugin-sdk';
import type { RepositoryMakers } from '@mortise/repositories/api';
import type { Organizations, Teams } from '../api.js';
import { t } from '../texts/index.js';

/** Who makes repositories for organizations, and which teams get those that are handed over to them. */
export const makers = ({ organizations, teams }: { organizations: Organizations; teams: Teams }): RepositoryMakers => ({
  key: 'organizations',
  mayMake: async (actor, owner) =>
    actor.kind === 'user' &&
    owner.kind === 'organization' &&
    (await organizations.rights(actor.id, owner.id)).canCreateRepository,
  async checkTeams(owner, teamIds) {
    const found = await teams.byIds(teamIds);
    for (const id of teamIds) {
      const team = found.get(id);
      if (!team) throw Invalid(t.later('error.noTeam', { id }));
      if (team.organizationId !== owner.id) throw Forbidden(t.later('error.foreignTeam', { id }));
    }
  },
  async giveTeams(repository, teamIds) {
    for (const team of (await teams.byIds(teamIds)).values())
      if (team.organizationId === repository.ownerId) await teams.addRepository(team, repository);
  },
});
