import { BaseModel } from '@mortise/plugin-sdk';
import type { OAuth2Application } from '../contract/oauth2-provider.js';
import { isWellKnown } from '../services/well-known.js';

export class ApplicationRow extends BaseModel {
  static override tableName = 'oauth2_application';
  static override booleans = ['is_confidential', 'skips_second_consent'];
  static override json = ['redirect_uris'];
  declare id: number;
  declare owner_id: number;
  declare name: string;
  declare client_id: string;
  declare secret_hash: string;
  declare is_confidential: boolean;
  declare skips_second_consent: boolean;
  declare redirect_uris: string[];
  declare created_at: number;
  declare updated_at: number;
}

export const toApplication = (row: ApplicationRow): OAuth2Application => ({
  id: row.id,
  ownerId: row.owner_id,
  name: row.name,
  clientId: row.client_id,
  isConfidential: row.is_confidential,
  skipsSecondConsent: row.skips_second_consent,
  redirectUris: row.redirect_uris,
  isBuiltIn: row.owner_id === 0 && isWellKnown(row.client_id),
  createdAt: Number(row.created_at),
});

/** What somebody granted an application. */
export class GrantRow extends BaseModel {
  static override tableName = 'oauth2_grant';
  static override json = ['scope'];
  declare id: number;
  declare user_id: number;
  declare application_id: number;
  declare scope: string[];
  declare created_at: number;
  declare updated_at: number;
}

/** An authorization code; kept after its use, so that a second one is noticed. */
export class CodeRow extends BaseModel {
  static override tableName = 'oauth2_code';
  static override booleans = ['is_used'];
  static override json = ['scope'];
  declare id: number;
  declare grant_id: number;
  declare code_hash: string;
  declare scope: string[];
  declare redirect_uri: string;
  /** S256; empty: none. */
  declare challenge: string;
  declare nonce: string;
  declare is_used: boolean;
  declare expires_at: number;
  declare signed_in_at: number;
}

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

export class KeyRow extends BaseModel {
  static override tableName = 'oauth2_key';
  declare id: number;
  declare algorithm: string;
  declare key_id: string;
  declare private_key: string;
  declare created_at: number;
}
