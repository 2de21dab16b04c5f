import { BaseModel } from '@mortise/plugin-sdk';

/** Accounts, as far as queries look at them. */
export class UserRow extends BaseModel {
  static override tableName = 'user';
  declare id: number;
}
