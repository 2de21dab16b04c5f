import { BaseModel } from '@mortise/plugin-sdk';

export class UserBadgeRow extends BaseModel {
  static override tableName = 'user_badge';
  static override idColumn = ['user_id', 'badge_id'];
  declare user_id: number;
  declare badge_id: number;
}
