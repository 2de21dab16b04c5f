import { createHash } from 'node:crypto';
import { BaseModel } from '@mortise/plugin-sdk';

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

/** What `path_key` is of a path. */
export const pathKeyOf = (path: string): string => createHash('sha256').update(path).digest('hex');
