import { BaseModel } from '@mortise/plugin-sdk';

export class ScheduleSpecRow extends BaseModel {
  static override tableName = 'action_schedule_spec';
  declare id: number;
  declare schedule_id: number;
  declare repository_id: number;
  declare spec: string;
  declare next_at: number;
  declare previous_at: number;
}
