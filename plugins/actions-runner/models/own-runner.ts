import { BaseModel } from '@mortise/plugin-sdk';

/** There is one row while the runner is started on the page of the administration, and else none. */
export class OwnRunnerRow extends BaseModel {
  static override tableName = 'action_own_runner';
  static override json = ['serves'];
  declare id: number;
  /** Names of owners, or `all`. */
  declare serves: readonly string[];
  declare started_at: number;
}
