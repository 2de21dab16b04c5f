import { BaseModel } from '@mortise/plugin-sdk';

/** When a runner was last heard of. */
export class RunnerActivityRow extends BaseModel {
  static override tableName = 'action_runner_activity';
  static override idColumn = 'runner_id';
  declare runner_id: number;
  declare online_at: number;
  declare active_at: number;
}
