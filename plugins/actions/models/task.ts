import { BaseModel } from '@mortise/plugin-sdk';
import type { StatusNumber } from '../contract/states.js';

/** A job in the hands of a runner. */
export class TaskRow extends BaseModel {
  static override tableName = 'action_task';
  static override booleans = ['is_fork'];
  declare id: number;
  declare job_id: number;
  declare repository_id: number;
  declare owner_id: number;
  declare run_id: number;
  declare run_attempt_id: number;
  declare attempt: number;
  declare runner_id: number;
  declare status: StatusNumber;
  declare commit_sha: string;
  declare is_fork: boolean;
  declare token_hash: string;
  declare token_salt: string;
  declare token_last_eight: string;
  declare started_at: number;
  declare stopped_at: number;
  declare created_at: number;
  declare updated_at: number;
}
