import { BaseModel } from '@mortise/plugin-sdk';

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
