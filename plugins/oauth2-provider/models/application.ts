import { BaseModel } from '@mortise/plugin-sdk';
import type { OAuth2Application } from '../api.js';
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
