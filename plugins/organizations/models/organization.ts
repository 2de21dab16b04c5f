import { BaseModel } from '@mortise/plugin-sdk';

/** What only accounts of the kind `organization` have. */
export class OrganizationRow extends BaseModel {
  static override tableName = 'organization';
  static override idColumn = 'account_id';
  static override booleans = ['repository_admins_change_teams'];
  declare account_id: number;
  declare repository_admins_change_teams: boolean;
}
