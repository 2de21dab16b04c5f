import type { Teams } from '@mortise/organizations/api';
import type { ProtectionTeams } from '../contract/branch-protection.js';

/** More teams than any organization has. */
const all = { limit: 100_000, offset: 0 };

/** The teams of organizations that rules may name. */
export const organizationTeams = ({ teams }: { teams: Teams }): ProtectionTeams => ({
  key: 'organizations',
  async byNames(ownerId, names) {
    const { items } = await teams.search({ organizationId: ownerId, names, ...all });
    return new Map(items.map((team) => [team.lowerName, team.id]));
  },
  names: async (teamIds) => new Map([...(await teams.byIds(teamIds))].map(([id, team]) => [id, team.name])),
  membersAmong: (teamIds, userIds) => teams.membersAmong(teamIds, userIds),
  async ofOwner(ownerId) {
    const { items } = await teams.search({ organizationId: ownerId, ...all });
    return items.map(({ id, name }) => ({ id, name }));
  },
});
