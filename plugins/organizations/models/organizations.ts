import { BaseModel } from '@mortise/plugin-sdk';

/** What only accounts of the kind `organization` have. */
export class OrganizationRow extends BaseModel {
  static override tableName = 'organization';
  static override idColumn = 'account_id';
  static override booleans = ['repository_admins_change_teams'];
  declare account_id: number;
  declare repository_admins_change_teams: boolean;
}

/** Who belongs to an organization: whoever is in at least one of its teams. */
export class MemberRow extends BaseModel {
  static override tableName = 'organization_member';
  static override idColumn = ['organization_id', 'user_id'];
  static override booleans = ['is_public'];
  declare organization_id: number;
  declare user_id: number;
  declare is_public: boolean;
}
