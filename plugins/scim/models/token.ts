import { BaseModel } from '@mortise/plugin-sdk';

/** A token of an identity provider, and what it may do. */
export class TokenRow extends BaseModel {
  static override tableName = 'scim_token';
  static override booleans = ['manages_administrators'];
  declare id: number;
  declare name: string;
  declare token_hash: string;
  /** Its teams are the groups; null: there are none. */
  declare organization_id: number | null;
  /** New accounts belong to it; null: to none. */
  declare login_source_id: number | null;
  declare manages_administrators: boolean;
  declare created_at: number;
  /** 0: never. */
  declare last_used_at: number;
}
