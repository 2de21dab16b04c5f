import { BaseModel } from '@mortise/plugin-sdk';

export class BadgeRow extends BaseModel {
  static override tableName = 'badge';
  declare id: number;
  /** Its name in addresses and requests: small letters, digits, `-` and `_`. */
  declare slug: string;
  declare description: string;
  /** May be empty. */
  declare image_url: string;
}

export class UserBadgeRow extends BaseModel {
  static override tableName = 'user_badge';
  static override idColumn = ['user_id', 'badge_id'];
  declare user_id: number;
  declare badge_id: number;
}
