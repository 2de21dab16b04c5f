import { BaseModel } from '@mortise/plugin-sdk';

/** Lines that came together and are still in the database. */
export class LogTailRow extends BaseModel {
  static override tableName = 'action_log_tail';
  declare id: number;
  declare task_id: number;
  declare first_line: number;
  declare lines: number;
  declare bytes: number;
  declare data: Buffer;
}
