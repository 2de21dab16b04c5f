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
  declare updated_at: number;
}

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

/** Where a part of a segment begins that is unpacked by itself: first line, first byte of the plain text, first stored byte. */
export type LogFrame = readonly [line: number, plain: number, stored: number];

/** Lines that lie in the storage as one object. */
export class LogSegmentRow extends BaseModel {
  static override tableName = 'action_log_segment';
  static override json = ['frames'];
  declare id: number;
  declare task_id: number;
  declare first_line: number;
  declare lines: number;
  declare bytes: number;
  declare stored_bytes: number;
  declare key: string;
  /** `zstd`, or `none` for plain text. */
  declare packing: 'none' | 'zstd';
  declare frames: readonly LogFrame[];
}
