import { BaseModel } from '@mortise/plugin-sdk';

/** Who belongs to an organization: whoever is in at least one of its teams. */
export class MemberRow extends BaseModel {
  static override tableName = 'organization_member';
  static override idColumn = ['organization_id', 'user_id'];
  static override booleans = ['is_public'];
  declare organization_id: number;
  declare user_id: number;
  declare is_public: boolean;
}
