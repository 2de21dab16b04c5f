import { BaseModel } from '@mortise/plugin-sdk';

/** Who holds a state. A state can be locked before there is one. */
export class LockRow extends BaseModel {
  static override tableName = 'terraform_lock';
  declare id: number;
  declare owner_id: number;
  declare lower_name: string;
  declare lock_id: string;
  /** JSON, as the client sent it. */
  declare info: string;
  declare created_at: number;
}
