import { BaseModel } from '@mortise/plugin-sdk';

export class TeamRepositoryRow extends BaseModel {
  static override tableName = 'team_repository';
  static override idColumn = ['team_id', 'repository_id'];
  declare team_id: number;
  declare repository_id: number;
}
