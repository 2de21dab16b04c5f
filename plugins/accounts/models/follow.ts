import { BaseModel } from '@mortise/plugin-sdk';

export class FollowRow extends BaseModel {
  static override tableName = 'user_follow';
  static override idColumn = ['user_id', 'followed_id'];
  declare user_id: number;
  declare followed_id: number;
  declare created_at: number;
}
