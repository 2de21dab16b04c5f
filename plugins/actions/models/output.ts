import { BaseModel } from '@mortise/plugin-sdk';

export class OutputRow extends BaseModel {
  static override tableName = 'action_task_output';
  declare id: number;
  declare task_id: number;
  declare output_key: string;
  declare output_value: string;
}
