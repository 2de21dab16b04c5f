import { BaseModel } from '@mortise/plugin-sdk';

/** Where a log stands: `leaving` and `gone` are logs whose content is being removed, `expired` those that have none left. */
export type LogStage = 'open' | 'sealed' | 'leaving' | 'expired' | 'gone';

/** The log of a task. */
export class LogRow extends BaseModel {
  static override tableName = 'action_log';
  static override idColumn = 'task_id';
  declare task_id: number;
  declare stage: LogStage;
  /** Lines that runners were told are stored. */
  declare lines: number;
  /** Lines that are kept: fewer than `lines` when the log has grown over its limit. */
  declare kept_lines: number;
  /** Bytes of the plain text that is kept. */
  declare bytes: number;
  /** Lines that lie in segments; those behind them are in the tail. */
  declare packed_lines: number;
  declare packed_bytes: number;
  /** What ends the lines in which commands are none; empty: they are some. */
  declare stop_token: string;
  declare updated_at: number;
}
