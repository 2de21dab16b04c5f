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

/** One row of `lfs_upload`: content is on its way, the collector keeps its hands off. */
export class UploadRow extends BaseModel {
  static override tableName = 'lfs_upload';
  declare id: number;
  declare oid: string;
  declare started_at: number;
}

/** One row of `lfs_lock`. */
export class LockRow extends BaseModel {
  static override tableName = 'lfs_lock';
  declare id: number;
  declare repository_id: number;
  declare owner_id: number;
  declare path: string;
  /** SHA-256 of the path: paths are longer than what an index takes. */
  declare path_key: string;
  declare created_at: number;
}
