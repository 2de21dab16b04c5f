import {
  targetRow,
  type SourceRow,
  type TargetRow,
  type TableMapping,
  type TakeoverContext,
} from '@mortise/plugin-sdk';
import type { TeamAuthorization } from '../contract/teams.js';
import { MemberRow } from '../models/member.js';
import { OrganizationRow } from '../models/organization.js';
import { TeamMemberRow } from '../models/team-member.js';
import { TeamRepositoryRow } from '../models/team-repository.js';
import { TeamRow } from '../models/team.js';
import { TeamUnitRow } from '../models/team-unit.js';
import { givesAccess } from '../services/units.js';

const users = 'accounts.users';
/** By `team_unit.type` there. */
const units: readonly (string | undefined)[] = [
  undefined,
  'code',
  'issues',
  'pulls',
  'releases',
  'wiki',
  'ext_wiki',
  'ext_issues',
  'projects',
  'packages',
  'actions',
];
const modes = ['none', 'read', 'write'] as const;

/** Of a team that reads or writes the units say more. */
const authorizationOf = (row: SourceRow): TeamAuthorization =>
  ({ 3: 'admin', 4: 'owner' } as const)[row.number('authorize')] ?? 'none';

/** Numbers of the units of a team with their modes; earlier versions have one mode for all of them. */
function unitModes(row: SourceRow, { isGogs }: TakeoverContext): { readonly type: number; readonly mode: number }[] {
  const mode = row.number('authorize');
  if (!isGogs && !row.has('unit_types'))
    return row.related('units').map((unit) => ({
      type: unit.number('type'),
      mode: unit.has('access_mode') ? unit.number('access_mode') : mode,
    }));
  // a list in the row, of which none means all; Gogs knows no units
  const types = row.json('unit_types');
  const isListed = Array.isArray(types) && types.length > 0;
  return (isListed ? types : Object.keys(units)).map((type) => ({ type: Number(type), mode }));
}

/** Teams of administrators and owners have every unit. */
function unitRows(row: SourceRow, context: TakeoverContext): TargetRow[] {
  if (authorizationOf(row) !== 'none') return [];
  return unitModes(row, context).flatMap(({ type, mode: number }) => {
    const unit = units[type];
    const mode = modes[Math.min(2, number)];
    return unit && mode && mode !== 'none' ? [targetRow(TeamUnitRow, { team_id: row.number('id'), unit, mode })] : [];
  });
}

const organizations: TableMapping = {
  id: 'organizations.organizations',
  table: 'user',
  references: { account_id: users },
  filter: (row) => row.number('type') === 1,
  map: (row) =>
    targetRow(OrganizationRow, {
      account_id: row.number('id'),
      repository_admins_change_teams: row.flag('repo_admin_change_team_access'),
    }),
};

const members: TableMapping = {
  id: 'organizations.members',
  table: 'org_user',
  references: { organization_id: 'organizations.organizations', user_id: users },
  map: (row) =>
    targetRow(MemberRow, {
      organization_id: row.number('org_id'),
      user_id: row.number('uid'),
      is_public: row.flag('is_public'),
    }),
};

const teams: TableMapping = {
  id: 'organizations.teams',
  table: 'team',
  idTable: TeamRow,
  version: 3,
  references: { organization_id: 'organizations.organizations' },
  related: { units: { table: 'team_unit', column: 'team_id' } },
  map(row, context) {
    const authorization = authorizationOf(row);
    const isOwner = authorization === 'owner';
    const own = unitRows(row, context);
    const rights = Object.fromEntries(own.map(({ values }) => [String(values.unit), 'read' as const]));
    return [
      targetRow(TeamRow, {
        id: row.number('id'),
        organization_id: row.number('org_id'),
        name: row.text('name'),
        lower_name: row.text('lower_name'),
        description: row.text('description'),
        authorization,
        gives_access: givesAccess(authorization, rights),
        // also before there was a column for it
        includes_all_repositories: isOwner || row.flag('includes_all_repositories'),
        can_create_repository: isOwner || row.flag('can_create_org_repo'),
        // all members know of the owners; of other teams only who is in them
        visibility: isOwner ? 'limited' : 'private',
        member_count: row.number('num_members'),
        repository_count: row.number('num_repos'),
        created_at: 0,
        updated_at: 0,
      }),
      ...own,
    ];
  },
};

const teamMembers: TableMapping = {
  id: 'organizations.team_members',
  table: 'team_user',
  references: { team_id: 'organizations.teams', user_id: users, organization_id: 'organizations.organizations' },
  map: (row) =>
    targetRow(TeamMemberRow, {
      team_id: row.number('team_id'),
      user_id: row.number('uid'),
      organization_id: row.number('org_id'),
    }),
};

const teamRepositories: TableMapping = {
  id: 'organizations.team_repositories',
  table: 'team_repo',
  references: { team_id: 'organizations.teams', repository_id: 'repositories.repositories' },
  ignored: ['org_id'],
  map: (row) => targetRow(TeamRepositoryRow, { team_id: row.number('team_id'), repository_id: row.number('repo_id') }),
};

export const tables: readonly TableMapping[] = [organizations, members, teams, teamMembers, teamRepositories];
