import { BaseModel } from '@mortise/plugin-sdk';

/** An account that a token manages, with what the provider says beyond what accounts have. */
export class ProvisionedUserRow extends BaseModel {
  static override tableName = 'scim_user';
  static override booleans = ['has_display_name', 'is_email_primary', 'is_deactivated', 'is_deleted'];
  declare id: number;
  declare token_id: number;
  declare user_id: number;
  /** As the provider spells it. */
  declare user_name: string;
  declare lower_user_name: string;
  declare external_id: string;
  declare given_name: string;
  declare family_name: string;
  /** The full name is what the provider calls the display name, not made of the names. */
  declare has_display_name: boolean;
  declare email_type: string;
  /** Null: the provider does not say. */
  declare is_email_primary: boolean | null;
  /** It was the provider who prohibited signing in. */
  declare is_deactivated: boolean;
  /** The provider has deleted it: for the provider it does not exist. */
  declare is_deleted: boolean;
}
