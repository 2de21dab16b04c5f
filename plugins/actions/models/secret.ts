import { BaseModel } from '@mortise/plugin-sdk';

export class SecretRow extends BaseModel {
  static override tableName = 'action_secret';
  declare id: number;
  declare owner_id: number;
  declare repository_id: number;
  /** 0: of all jobs of the scope. */
  declare environment_id: number;
  declare name: string;
  /** Opened by the key `key_id`. */
  declare sealed: string;
  declare key_id: number;
  declare description: string;
  declare created_at: number;
  declare updated_at: number;
}
