import { BaseModel } from '@mortise/plugin-sdk';

export class VersionRow extends BaseModel {
  static override tableName = 'action_version';
  static override idColumn = ['owner_id', 'repository_id'];
  declare owner_id: number;
  declare repository_id: number;
  declare version: number;
}
