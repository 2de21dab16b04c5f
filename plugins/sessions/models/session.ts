import { BaseModel } from '@mortise/plugin-sdk';
import type { Session, SourceSession } from '../contract/sessions.js';

export class SessionRow extends BaseModel {
  static override tableName = 'session';
  static override booleans = ['is_remembered'];
  static override json = ['source_session'];
  declare id: number;
  declare user_id: number;
  declare token_hash: string;
  declare user_agent: string;
  declare remote_address: string;
  declare is_remembered: boolean;
  declare created_at: number;
  declare last_used_at: number;
  declare expires_at: number;
  /** Hash of what the login source names to end it; null: it was begun here, or by a source that ends none. */
  declare source_key: string | null;
  declare source_session: SourceSession | null;
}

export const toSession = (row: SessionRow): Session => ({
  id: row.id,
  userId: row.user_id,
  userAgent: row.user_agent,
  remoteAddress: row.remote_address,
  isRemembered: row.is_remembered,
  createdAt: Number(row.created_at),
  lastUsedAt: Number(row.last_used_at),
  expiresAt: Number(row.expires_at),
});
