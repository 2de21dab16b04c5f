import { BaseModel } from '@mortise/plugin-sdk';
import { abilities } from './gpg-key.js';

export class GpgSubkeyRow extends BaseModel {
  static override tableName = 'gpg_subkey';
  static override booleans = abilities;
  declare id: number;
  declare gpg_key_id: number;
  declare key_id: string;
  declare fingerprint: string;
  declare public_key: string;
  declare can_sign: boolean;
  declare can_encrypt_comms: boolean;
  declare can_encrypt_storage: boolean;
  declare can_certify: boolean;
  declare created_at: number;
  declare expires_at: number;
}
