import { BaseModel } from '@mortise/plugin-sdk';

/** The last number that a run of the repository got. */
export class RunCounterRow extends BaseModel {
  static override tableName = 'action_run_counter';
  static override idColumn = 'repository_id';
  declare repository_id: number;
  declare last_number: number;
}
