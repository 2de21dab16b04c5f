import { BaseModel } from '@mortise/plugin-sdk';

/** A team that a token manages, with what the provider says beyond what teams have. */
export class ProvisionedGroupRow extends BaseModel {
  static override tableName = 'scim_group';
  static override booleans = ['is_deleted'];
  declare id: number;
  declare token_id: number;
  declare team_id: number;
  /** As the provider spells it. */
  declare display_name: string;
  declare lower_display_name: string;
  declare external_id: string;
  /** When a token has last changed it, in milliseconds since 1970 UTC; 0: not told. */
  declare updated_at: number;
  /** The provider has deleted it: for the provider it does not exist. */
  declare is_deleted: boolean;
}
