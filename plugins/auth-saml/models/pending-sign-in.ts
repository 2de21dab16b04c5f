import { BaseModel } from '@mortise/plugin-sdk';
import type { Identity } from '../services/identity.js';

/** Somebody whom a provider has named, before it is known that it is the browser that asked. */
export class PendingSignInRow extends BaseModel {
  static override tableName = 'saml_pending_sign_in';
  static override json = ['identity'];
  declare id: number;
  declare source_id: number;
  declare code_hash: string;
  /** Id of the request that the provider has answered. */
  declare request_id: string;
  declare identity: Identity;
  declare expires_at: number;
}
