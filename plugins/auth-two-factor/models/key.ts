import { BaseModel } from '@mortise/plugin-sdk';

/** A security key or passkey. */
export class KeyRow extends BaseModel {
  static override tableName = 'two_factor_key';
  static override booleans = ['is_passkey'];
  static override json = ['transports'];
  declare id: number;
  declare user_id: number;
  declare name: string;
  /** SHA-256 of the credential id, which may be too long for an index. */
  declare credential_hash: string;
  /** base64url */
  declare credential_id: string;
  /** base64url of the COSE key. */
  declare public_key: string;
  declare counter: number;
  declare transports: string[];
  declare is_passkey: boolean;
  declare created_at: number;
  declare last_used_at: number;
}
