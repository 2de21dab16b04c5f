import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `lfs_upload`: content is on its way, the collector keeps its hands off. */
export class UploadRow extends BaseModel {
  static override tableName = 'lfs_upload';
  declare id: number;
  declare oid: string;
  declare started_at: number;
}
