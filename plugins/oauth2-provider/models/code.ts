import { BaseModel } from '@mortise/plugin-sdk';

/** An authorization code; kept after its use, so that a second one is noticed. */
export class CodeRow extends BaseModel {
  static override tableName = 'oauth2_code';
  static override booleans = ['is_used'];
  static override json = ['scope'];
  declare id: number;
  declare grant_id: number;
  declare code_hash: string;
  declare scope: string[];
  declare redirect_uri: string;
  /** S256; empty: none. */
  declare challenge: string;
  declare nonce: string;
  declare is_used: boolean;
  declare expires_at: number;
  declare signed_in_at: number;
}
