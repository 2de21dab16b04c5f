import { BaseModel } from '@mortise/plugin-sdk';

export class TeamMemberRow extends BaseModel {
  static override tableName = 'team_member';
  static override idColumn = ['team_id', 'user_id'];
  declare team_id: number;
  declare user_id: number;
  /** Repeats that of the team, for queries. */
  declare organization_id: number;
}
