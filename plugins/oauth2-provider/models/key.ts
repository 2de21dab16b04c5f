import { BaseModel } from '@mortise/plugin-sdk';

export class KeyRow extends BaseModel {
  static override tableName = 'oauth2_key';
  declare id: number;
  declare algorithm: string;
  declare key_id: string;
  declare private_key: string;
  declare created_at: number;
}
