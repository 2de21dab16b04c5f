import { BaseModel } from '@mortise/plugin-sdk';
import type { StatusNumber } from '../contract/states.js';

/** Times of all rows are milliseconds since 1970 UTC; 0: not yet. */
export class RunRow extends BaseModel {
  static override tableName = 'action_run';
  static override booleans = ['is_scoped_run', 'is_fork', 'need_approval'];
  declare id: number;
  declare repository_id: number;
  declare owner_id: number;
  declare number: number;
  declare title: string;
  declare workflow_id: string;
  declare workflow_name: string;
  declare workflow_repo_id: number;
  declare workflow_commit_sha: string;
  declare workflow_path: string;
  declare is_scoped_run: boolean;
  declare ref: string;
  declare head_branch: string;
  declare commit_sha: string;
  declare status_sha: string;
  declare pull_index: number;
  /** Base branch of the pull request when it was made; empty: it is not of one. */
  declare pull_base: string;
  declare trigger_user_id: number;
  declare event: string;
  declare trigger_event: string;
  declare event_key: string | null;
  declare is_fork: boolean;
  declare need_approval: boolean;
  declare approved_by: number;
  declare schedule_id: number;
  declare depth: number;
  declare raw_concurrency: string;
  declare problem: string;
  declare status: StatusNumber;
  declare latest_attempt_id: number;
  declare version: number;
  declare started_at: number;
  declare stopped_at: number;
  declare created_at: number;
  declare updated_at: number;
}
