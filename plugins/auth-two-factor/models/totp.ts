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
