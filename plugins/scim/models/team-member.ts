import { BaseModel } from '@mortise/plugin-sdk';

/** Members of teams, as far as queries look at them. */
export class TeamMemberRow extends BaseModel {
  static override tableName = 'team_member';
  declare team_id: number;
  declare user_id: number;
}
