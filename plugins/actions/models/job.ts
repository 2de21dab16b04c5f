import { BaseModel } from '@mortise/plugin-sdk';
import type { StatusNumber } from '../contract/states.js';

export class JobRow extends BaseModel {
  static override tableName = 'action_job';
  static override booleans = [
    'is_concurrency_evaluated',
    'concurrency_cancel',
    'continue_on_error',
    'is_reusable_caller',
    'is_expanded',
    'is_deferred',
  ];
  static override json = ['needs', 'runs_on', 'matrix', 'strategy', 'token_permissions'];
  declare id: number;
  declare run_id: number;
  declare repository_id: number;
  declare owner_id: number;
  declare run_attempt_id: number;
  declare attempt: number;
  declare attempt_job_id: number;
  declare name: string;
  /** Names of the jobs that call its workflow and its own, as statuses show them; empty: of a job from before. */
  declare context_name: string;
  /** Of the workflow. */
  declare job_id: string;
  declare needs: readonly string[];
  declare runs_on: readonly string[];
  /** See {@link runsOnKey}. */
  declare runs_on_key: string;
  declare matrix: Readonly<Record<string, unknown>>;
  /** The context `strategy`; null: of a job from before it was stored. */
  declare strategy: Readonly<Record<string, unknown>> | null;
  /** 0: no runner has it. */
  declare task_id: number;
  declare source_task_id: number;
  declare status: StatusNumber;
  /** Name of the environment that it deploys to; empty: none. */
  declare environment: string;
  /** Its `if:`; empty: it has none. */
  declare condition: string;
  /** JSON of `{ group, cancelInProgress }`; empty: none. */
  declare raw_concurrency: string;
  declare is_concurrency_evaluated: boolean;
  declare concurrency_group: string;
  declare concurrency_cancel: boolean;
  /** 0: no limit. */
  declare max_parallel: number;
  /** Milliseconds of `timeout-minutes`; 0: no limit of its own. */
  declare timeout_ms: number;
  /** `DeclaredPermissions` of the workflow library; null: the workflow says nothing. */
  declare token_permissions: object | null;
  declare continue_on_error: boolean;
  declare parent_job_id: number;
  declare is_reusable_caller: boolean;
  declare is_expanded: boolean;
  /** Its matrix is known when its needs have ended: then it becomes several. */
  declare is_deferred: boolean;
  declare call_uses: string;
  declare workflow_repo_id: number;
  declare workflow_commit_sha: string;
  declare problem: string;
  declare started_at: number;
  declare stopped_at: number;
  declare created_at: number;
  declare updated_at: number;
}
