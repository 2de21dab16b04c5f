import { BaseModel } from '@mortise/plugin-sdk';

export class ScheduleRow extends BaseModel {
  static override tableName = 'action_schedule';
  declare id: number;
  declare repository_id: number;
  declare workflow_id: string;
  declare workflow_path: string;
  declare ref: string;
  declare commit_sha: string;
  declare content: string;
  declare payload: string;
  declare created_at: number;
}
