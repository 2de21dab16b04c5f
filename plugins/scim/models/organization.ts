import { BaseModel } from '@mortise/plugin-sdk';

/** Organizations, as far as they are held. */
export class OrganizationRow extends BaseModel {
  static override tableName = 'organization';
  static override idColumn = 'account_id';
  declare account_id: number;
}
