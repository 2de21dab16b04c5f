import { BaseModel } from '@mortise/plugin-sdk';
import type { StatusNumber } from '../contract/states.js';

/** A job that deploys to an environment. */
export class DeploymentRow extends BaseModel {
  static override tableName = 'action_deployment';
  declare id: number;
  declare repository_id: number;
  declare environment_id: number;
  declare run_id: number;
  declare attempt: number;
  declare job_id: number;
  /** Who started the attempt. */
  declare creator_id: number;
  declare ref: string;
  declare commit_sha: string;
  /** Of the job. */
  declare status: StatusNumber;
  /** Where it can be seen; empty: nothing was reported. */
  declare url: string;
  declare review: 'pending' | 'approved' | 'rejected';
  /** 0: nobody. */
  declare reviewer_id: number;
  declare comment: string;
  declare reviewed_at: number;
  declare created_at: number;
  declare updated_at: number;
}
