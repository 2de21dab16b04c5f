import type { Database } from '@mortise/plugin-sdk';
import type { Memberships } from '@mortise/accounts/api';
import type { PackageAccessMode, PackageAccessSource } from '@mortise/packages/api';
import { TeamMemberRow } from '../models/team-member.js';
import { TeamUnitRow } from '../models/team-unit.js';
import { TeamRow } from '../models/team.js';

/** Members read the packages of their organization; teams write as their unit for packages says, or their level. */
export const packageSource = ({
  database,
  memberships,
}: {
  database: Database;
  memberships: Memberships;
}): PackageAccessSource => ({
  key: 'organizations',
  async mode(actor, owner): Promise<PackageAccessMode | undefined> {
    if (owner.kind !== 'organization') return undefined;
    const membership = (await memberships.of(actor.id)).get(owner.id);
    if (!membership) return undefined;
    if (membership.isOwner) return 'owner';
    const teams = await database
      .query(TeamRow)
      .where('organization_id', owner.id)
      .whereIn('id', TeamMemberRow.query().select('team_id').where('user_id', actor.id));
    const levels = teams.map((team) => team.authorization);
    if (levels.includes('admin')) return 'owner';
    if (levels.includes('write')) return 'write';
    const granular = teams.map((team) => team.id);
    const writes = await database
      .query(TeamUnitRow)
      .findOne({ unit: 'packages', mode: 'write' })
      .whereIn('team_id', granular);
    if (writes) return 'write';
    return actor.isRestricted ? undefined : 'read';
  },
});
