import { BaseModel } from '@mortise/plugin-sdk';

/** An assertion that somebody has signed in with: it is good once. */
export class UsedAssertionRow extends BaseModel {
  static override tableName = 'saml_used_assertion';
  declare id: number;
  declare source_id: number;
  declare assertion_hash: string;
  /** Later than its assertion is taken. */
  declare expires_at: number;
}
