import { BaseModel } from '@mortise/plugin-sdk';

export class EmailRow extends BaseModel {
  static override tableName = 'email_address';
  static override booleans = ['is_primary', 'is_verified', 'is_confirmed', 'is_proven'];
  declare id: number;
  declare user_id: number;
  declare email: string;
  declare lower_email: string;
  declare is_primary: boolean;
  declare is_verified: boolean;
  declare is_confirmed: boolean;
  declare is_proven: boolean;
  /** The address in lower case where it is in use, else null: unique. */
  declare reserved_email: string | null;
}

/** A name that an account had before; leads to its present name (GEN-06). */
export class RedirectRow extends BaseModel {
  static override tableName = 'user_redirect';
  static override idColumn = 'lower_name';
  declare lower_name: string;
  declare user_id: number;
}

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

export class FollowRow extends BaseModel {
  static override tableName = 'user_follow';
  static override idColumn = ['user_id', 'followed_id'];
  declare user_id: number;
  declare followed_id: number;
  declare created_at: number;
}

export class BlockRow extends BaseModel {
  static override tableName = 'user_block';
  static override idColumn = ['blocker_id', 'blocked_id'];
  declare blocker_id: number;
  declare blocked_id: number;
  declare note: string;
  declare created_at: number;
}
