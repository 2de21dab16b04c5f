import { BaseModel } from '@mortise/plugin-sdk';

/** Values of the primary key of a row of this site, by column; `table` says where. */
export interface TargetKey {
  readonly table: string;
  readonly key: Readonly<Record<string, number | string>>;
}

/** A row of the other server that was taken over. */
export class TakeoverRow extends BaseModel {
  static override tableName = 'takeover_row';
  static override idColumn = ['kind', 'source_id', 'second_id'];
  static override json = ['targets'];
  /** Id of the table mapping, such as `issues.comments`. */
  declare kind: string;
  declare source_id: number;
  /** 0 where the key of its table has one column. */
  declare second_id: number;
  /** Of the row and what is read with it. */
  declare digest: string;
  declare targets: TargetKey[];
}
