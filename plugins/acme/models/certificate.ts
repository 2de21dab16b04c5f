import { BaseModel } from '@mortise/plugin-sdk';

export class AcmeCertificateRow extends BaseModel {
  static override tableName = 'acme_certificate';
  declare id: number;
  declare domain: string;
  /** PEM, with those that lead to the root. */
  declare certificate: string;
  /** PEM, encrypted. */
  declare private_key: string;
  declare renew_at: number;
  declare expires_at: number;
}
