import { BaseModel } from '@mortise/plugin-sdk';

export class SigningKeyRow extends BaseModel {
  static override tableName = 'package_signing_key';
  declare id: number;
  declare owner_id: number;
  declare type: string;
  declare kind: 'openpgp' | 'rsa';
  declare public_key: string;
  declare sealed_key: string;
  declare created_at: number;
}
