import { BaseModel } from '@mortise/plugin-sdk';

export const abilities = ['can_sign', 'can_encrypt_comms', 'can_encrypt_storage', 'can_certify'];

export class GpgKeyRow extends BaseModel {
  static override tableName = 'gpg_key';
  static override booleans = [...abilities, 'verified'];
  static override json = ['emails'];
  declare id: number;
  declare user_id: number;
  /** The last 16 hex digits of the fingerprint, upper case. */
  declare key_id: string;
  declare fingerprint: string;
  /** The key packet alone, base64. */
  declare public_key: string;
  /** The whole certificate, as it was given. */
  declare armored: string;
  /** Addresses of its valid user ids. */
  declare emails: string[];
  declare can_sign: boolean;
  declare can_encrypt_comms: boolean;
  declare can_encrypt_storage: boolean;
  declare can_certify: boolean;
  /** Its owner has proven to hold the private half. */
  declare verified: boolean;
  declare created_at: number;
  declare expires_at: number;
  declare added_at: number;
}
