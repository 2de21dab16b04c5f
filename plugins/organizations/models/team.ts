import { BaseModel } from '@mortise/plugin-sdk';
import type { Team } from '../api.js';
import type { TeamAuthorization } from '../contract/teams.js';

export class TeamRow extends BaseModel {
  static override tableName = 'team';
  static override booleans = ['includes_all_repositories', 'can_create_repository', 'gives_access'];
  declare id: number;
  declare organization_id: number;
  declare name: string;
  declare lower_name: string;
  declare description: string;
  declare authorization: TeamAuthorization;
  /** Repeats whether the authorization or a unit is a right, for queries. */
  declare gives_access: boolean;
  declare includes_all_repositories: boolean;
  declare can_create_repository: boolean;
  declare visibility: Team['visibility'];
  declare member_count: number;
  declare repository_count: number;
  declare created_at: number;
  declare updated_at: number;
}

export const toTeam = (row: TeamRow, units: Team['units']): Team =>
  Object.freeze({
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    lowerName: row.lower_name,
    description: row.description,
    authorization: row.authorization,
    units,
    includesAllRepositories: row.includes_all_repositories,
    canCreateRepository: row.can_create_repository,
    visibility: row.visibility,
    memberCount: row.member_count,
    repositoryCount: row.repository_count,
    createdAt: Number(row.created_at),
  });
