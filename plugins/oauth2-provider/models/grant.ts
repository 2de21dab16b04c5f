import { BaseModel } from '@mortise/plugin-sdk';

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
