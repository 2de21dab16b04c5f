import { BaseModel } from '@mortise/plugin-sdk';
import type { StatusNumber } from '../contract/states.js';

export class AttemptRow extends BaseModel {
  static override tableName = 'action_run_attempt';
  static override booleans = ['concurrency_cancel', 'is_held'];
  declare id: number;
  declare run_id: number;
  declare repository_id: number;
  declare number: number;
  declare trigger_user_id: number;
  declare concurrency_group: string;
  declare concurrency_cancel: boolean;
  /** Its concurrency group holds it back. */
  declare is_held: boolean;
  declare status: StatusNumber;
  declare started_at: number;
  declare stopped_at: number;
  declare created_at: number;
  declare updated_at: number;
}
