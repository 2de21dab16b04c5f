import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `lfs_object`: this repository has that object. The content itself is shared by all. */
export class ObjectRow extends BaseModel {
  static override tableName = 'lfs_object';
  declare id: number;
  declare repository_id: number;
  declare oid: string;
  declare size: number;
  declare created_at: number;
  /** When a client last showed or offered it. */
  declare seen_at: number;
}
