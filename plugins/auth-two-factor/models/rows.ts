import { BaseModel } from '@mortise/plugin-sdk';

/** The app of an account that makes one-time codes. */
export class TotpRow extends BaseModel {
  static override tableName = 'two_factor_totp';
  static override idColumn = 'user_id';
  declare user_id: number;
  /** Encrypted. */
  declare secret: string;
  /** Time step of the last code that was used: no code up to it is good again. */
  declare last_step: number;
  /** Wrong codes since `failing_since`, from anywhere. */
  declare failures: number;
  declare failing_since: number;
  declare created_at: number;
}

export class RecoveryCodeRow extends BaseModel {
  static override tableName = 'two_factor_recovery_code';
  declare id: number;
  declare user_id: number;
  declare code_hash: string;
}

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

/** Challenges that were answered: none is good twice. */
export class UsedChallengeRow extends BaseModel {
  static override tableName = 'two_factor_used_challenge';
  static override idColumn = 'challenge_hash';
  declare challenge_hash: string;
  declare expires_at: number;
}

/** Rows of `accounts`, for conditions alone: whether a source asks for a second factor itself. */
export class SourceRow extends BaseModel {
  static override tableName = 'login_source';
}
