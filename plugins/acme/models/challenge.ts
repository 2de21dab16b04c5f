import { BaseModel } from '@mortise/plugin-sdk';

/** What the ACME server will ask for, to see that the domain leads here (RFC 8555, 8.3). */
export class AcmeChallengeRow extends BaseModel {
  static override tableName = 'acme_challenge';
  declare id: number;
  declare token: string;
  declare key_authorization: string;
  declare created_at: number;
}
