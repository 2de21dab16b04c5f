import { BaseModel } from '@mortise/plugin-sdk';

export class StopwatchRow extends BaseModel {
  static override tableName = 'stopwatch';
  declare id: number;
  declare issue_id: number;
  declare user_id: number;
  declare started_at: number;
}
