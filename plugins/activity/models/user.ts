import { BaseModel } from '@mortise/plugin-sdk';

/** The one fact about accounts that feeds are filtered by; the table belongs to `accounts`. */
export class UserRow extends BaseModel {
  static override tableName = 'user';
  declare id: number;
  declare hide_activity: boolean;
}
