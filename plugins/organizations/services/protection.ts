import type { Database } from '@mortise/plugin-sdk';
import type { ProtectionTeams } from '@mortise/branch-protection/api';
import { TeamMemberRow, TeamRow } from '../models/teams.js';

/** The teams that rules for branches and tags may name. */
export const teamsForRules = (database: Database): ProtectionTeams => ({
  key: 'organizations',
  async byNames(ownerId, names) {
    const rows = await database
      .query(TeamRow)
      .where('organization_id', ownerId)
      .whereIn(
        'lower_name',
        names.map((name) => name.toLowerCase()),
      );
    return new Map(rows.map((row) => [row.lower_name, row.id]));
  },
  async names(teamIds) {
    const rows = await database.query(TeamRow).whereIn('id', [...teamIds]);
    return new Map(rows.map((row) => [row.id, row.name]));
  },
  async membersAmong(teamIds, userIds) {
    const rows = await database
      .query(TeamMemberRow)
      .select('user_id')
      .whereIn('team_id', [...teamIds])
      .whereIn('user_id', [...userIds]);
    return new Set(rows.map((row) => row.user_id));
  },
  async ofOwner(ownerId) {
    const rows = await database.query(TeamRow).where('organization_id', ownerId).orderBy('lower_name');
    return rows.map(({ id, name }) => ({ id, name }));
  },
});
