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

export class StopwatchRow extends BaseModel {
  static override tableName = 'stopwatch';
  declare id: number;
  declare issue_id: number;
  declare user_id: number;
  declare started_at: number;
}
