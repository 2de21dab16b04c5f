import { BaseModel } from '@mortise/plugin-sdk';

export class RecoveryCodeRow extends BaseModel {
  static override tableName = 'two_factor_recovery_code';
  declare id: number;
  declare user_id: number;
  declare code_hash: string;
}
