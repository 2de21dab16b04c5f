import { BaseModel } from '@mortise/plugin-sdk';

export class ViewedFileRow extends BaseModel {
  static override tableName = 'review_viewed_file';
  static override idColumn = ['issue_id', 'user_id', 'path_hash'];
  declare issue_id: number;
  declare user_id: number;
  declare path_hash: string;
  declare mark: string;
}
