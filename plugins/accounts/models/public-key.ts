import { BaseModel } from '@mortise/plugin-sdk';

export class PublicKeyRow extends BaseModel {
  static override tableName = 'public_key';
  static override booleans = ['read_only'];
  declare id: number;
  declare user_id: number;
  declare title: string;
  declare content: string;
  declare fingerprint: string;
  declare algorithm: string;
  declare read_only: boolean;
  declare created_at: number;
  declare last_used_at: number;
}
