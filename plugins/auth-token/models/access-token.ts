import { BaseModel } from '@mortise/plugin-sdk';
import type { AccessToken } from '../contract/auth-token.js';

export class AccessTokenRow extends BaseModel {
  static override tableName = 'access_token';
  static override json = ['scopes'];
  declare id: number;
  declare user_id: number;
  declare name: string;
  declare token_hash: string;
  declare last_eight: string;
  declare scopes: string[];
  declare created_at: number;
  declare last_used_at: number;
  declare expires_at: number;
  declare notice_at: number;
}

export const toToken = (row: AccessTokenRow): AccessToken => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  scopes: row.scopes,
  lastEight: row.last_eight,
  createdAt: Number(row.created_at),
  lastUsedAt: Number(row.last_used_at),
  expiresAt: Number(row.expires_at),
});
