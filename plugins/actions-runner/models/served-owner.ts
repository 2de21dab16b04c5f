import { BaseModel } from '@mortise/plugin-sdk';

/** Whose jobs the runner takes that was started on the page of the administration; there are none while it is stopped. */
export class ServedOwnerRow extends BaseModel {
  static override tableName = 'action_served_owner';
  static override idColumn = 'owner_id';
  /** Of a user or an organization; 0: every repository. */
  declare owner_id: number;
  declare started_at: number;
}
