import type { QueryBuilder } from 'objection';
import type { Database } from '@mortise/plugin-sdk';
import type { Membership, MembershipSource } from '@mortise/accounts/api';
import { MemberRow } from '../models/member.js';
import { TeamMemberRow } from '../models/team-member.js';
import { TeamRow } from '../models/team.js';

/** Teams of owners. */
export const ownerTeams = () => TeamRow.query().select('id').where('authorization', 'owner');

/** Teams whose members create repositories. */
const creatorTeams = () =>
  TeamRow.query()
    .select('id')
    .where((either) => void either.where('authorization', 'owner').orWhere('can_create_repository', true));

/** Who belongs to which organization. */
export const membershipSource = (database: Database): MembershipSource => ({
  key: 'organizations',
  async of(userIds): Promise<Membership[]> {
    const inTeam = (teams: QueryBuilder<TeamRow>) =>
      TeamMemberRow.query()
        .select('team_id')
        .whereColumn('team_member.user_id', 'organization_member.user_id')
        .whereColumn('team_member.organization_id', 'organization_member.organization_id')
        .whereIn('team_id', teams)
        .limit(1);
    const rows = (await database
      .query(MemberRow)
      .select('organization_member.*', inTeam(ownerTeams()).as('owner_team'), inTeam(creatorTeams()).as('creator_team'))
      .whereIn('user_id', [...userIds])) as (MemberRow & {
      owner_team: number | null;
      creator_team: number | null;
    })[];
    return rows.map((row) => ({
      userId: row.user_id,
      organizationId: row.organization_id,
      isOwner: row.owner_team !== null,
      mayCreateRepository: row.creator_team !== null,
      isPublic: row.is_public,
    }));
  },
  organizations: (userId) => MemberRow.query().select('organization_id').where('user_id', userId),
  creatable: (userId) =>
    TeamMemberRow.query().select('organization_id').where('user_id', userId).whereIn('team_id', creatorTeams()),
  colleagues: (userId) =>
    MemberRow.query()
      .select('user_id')
      .whereIn('organization_id', MemberRow.query().select('organization_id').where('user_id', userId)),
});
