import { BaseModel } from '@mortise/plugin-sdk';
import type { StatusNumber } from '../contract/states.js';

export class StepRow extends BaseModel {
  static override tableName = 'action_task_step';
  declare id: number;
  declare task_id: number;
  /** From 0. */
  declare number: number;
  declare name: string;
  declare status: StatusNumber;
  declare log_index: number;
  declare log_length: number;
  declare started_at: number;
  declare stopped_at: number;
}
