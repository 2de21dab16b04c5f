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
