import { BaseModel } from '@mortise/plugin-sdk';

/** A key that secrets are sealed with, itself sealed with the secret of the installation. */
export class SecretKeyRow extends BaseModel {
  static override tableName = 'action_secret_key';
  declare id: number;
  declare sealed: string;
  declare created_at: number;
}
