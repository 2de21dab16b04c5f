import { BaseModel } from '@mortise/plugin-sdk';
import type { Visibility } from '@mortise/accounts/api';

/** Accounts, as far as queries look at them. */
export class AccountVisibilityRow extends BaseModel {
  static override tableName = 'user';
  declare id: number;
  declare visibility: Visibility;
}
