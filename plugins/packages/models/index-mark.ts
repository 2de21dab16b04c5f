import { BaseModel } from '@mortise/plugin-sdk';

/** A part of an index that has changed since its files were made. */
export class IndexMarkRow extends BaseModel {
  static override tableName = 'package_index_mark';
  declare id: number;
  declare owner_id: number;
  declare type: string;
  declare part: string;
  /** 0: the part is made of all of its packages. */
  declare package_id: number;
  declare created_at: number;
}
