import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `quota_owner`: locked by whoever stores for the owner. */
export class OwnerRow extends BaseModel {
  static override tableName = 'quota_owner';
  static override idColumn = 'user_id';
  declare user_id: number;
  /** Milliseconds since 1970 UTC. */
  declare asked_at: number;
}
