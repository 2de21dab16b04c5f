import { BaseModel } from '@mortise/plugin-sdk';
import type { Identity } from '../services/identity.js';

/** A person of a provider who may sign in as an account. */
export class LinkRow extends BaseModel {
  static override tableName = 'oauth2_link';
  declare id: number;
  declare source_id: number;
  declare user_id: number;
  declare subject: string;
  declare subject_hash: string;
  /** As the provider called them last. */
  declare name: string;
  declare created_at: number;
  /** 0: never. */
  declare last_used_at: number;
}

/** Somebody who has come from a provider, and whose account is not known yet. */
export class PendingSignInRow extends BaseModel {
  static override tableName = 'oauth2_arrival';
  static override json = ['identity'];
  declare id: number;
  declare token_hash: string;
  declare source_id: number;
  declare identity: Identity & { readonly redirectTo: string };
  declare expires_at: number;
}
