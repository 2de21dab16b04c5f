import { BaseModel } from '@mortise/plugin-sdk';

export class TimeRow extends BaseModel {
  static override tableName = 'tracked_time';
  static override booleans = ['is_deleted'];
  declare id: number;
  declare issue_id: number;
  declare repository_id: number;
  declare user_id: number;
  declare seconds: number;
  declare is_deleted: boolean;
  declare created_at: number;
}
