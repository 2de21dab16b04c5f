import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `quota_group_user`. */
export class GroupUserRow extends BaseModel {
  static override tableName = 'quota_group_user';
  static override idColumn = ['group_id', 'user_id'];
  declare group_id: number;
  declare user_id: number;
}
