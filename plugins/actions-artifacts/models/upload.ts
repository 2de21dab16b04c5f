import { BaseModel } from '@mortise/plugin-sdk';

/** Content that comes in pieces. Times of all rows are milliseconds since 1970 UTC, sizes bytes. */
export class UploadRow extends BaseModel {
  static override tableName = 'action_upload';
  static override json = ['block_list'];
  declare id: number;
  declare area: string;
  declare block_list: readonly string[] | null;
  declare received: number;
  declare parts: number;
  declare updated_at: number;
}
