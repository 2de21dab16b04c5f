import { BaseModel } from '@mortise/plugin-sdk';

/** A key that identity tokens are signed with. */
export class IdKeyRow extends BaseModel {
  static override tableName = 'action_id_key';
  declare id: number;
  declare generation: number;
  declare key_id: string;
  declare private_key: string;
  declare created_at: number;
}
