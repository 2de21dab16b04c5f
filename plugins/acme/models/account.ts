import { BaseModel } from '@mortise/plugin-sdk';

/** The key by which an ACME server knows this site. */
export class AcmeAccountRow extends BaseModel {
  static override tableName = 'acme_account';
  declare id: number;
  declare directory_url: string;
  /** PEM, encrypted. */
  declare private_key: string;
}
