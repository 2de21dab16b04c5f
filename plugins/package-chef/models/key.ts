import { BaseModel } from '@mortise/plugin-sdk';

/** What an account signs its requests with; only its owner has the private half. */
export class KeyRow extends BaseModel {
  static override tableName = 'chef_key';
  static override idColumn = 'user_id';
  declare user_id: number;
  /** PEM. */
  declare public_key: string;
  declare created_at: number;
}
