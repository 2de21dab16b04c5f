import { BaseModel } from '@mortise/plugin-sdk';

/** A key that reaches one repository only. */
export class DeployKeyRow extends BaseModel {
  static override tableName = 'deploy_key';
  static override booleans = ['read_only'];
  declare id: number;
  declare repository_id: number;
  declare title: string;
  declare content: string;
  declare fingerprint: string;
  declare read_only: boolean;
  declare created_at: number;
  /** 0: never. */
  declare last_used_at: number;
}
