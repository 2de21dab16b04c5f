import { BaseModel } from '@mortise/plugin-sdk';
import type { Identity } from '../services/identity.js';

/** Somebody who has come from a provider, and whose account is not known yet. */
export class PendingSignInRow extends BaseModel {
  static override tableName = 'oauth2_pending_sign_in';
  static override json = ['identity'];
  declare id: number;
  declare token_hash: string;
  declare source_id: number;
  declare identity: Identity & { readonly redirectTo: string };
  declare expires_at: number;
}
