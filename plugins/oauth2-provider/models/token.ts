import { BaseModel } from '@mortise/plugin-sdk';

export class TokenRow extends BaseModel {
  static override tableName = 'oauth2_token';
  static override booleans = ['is_used'];
  static override json = ['scope'];
  declare id: number;
  declare grant_id: number;
  declare code_id: number;
  declare kind: 'access' | 'refresh';
  declare token_hash: string;
  declare scope: string[];
  declare is_used: boolean;
  declare created_at: number;
  declare expires_at: number;
}
