import { BaseModel } from '@mortise/plugin-sdk';

export class BlockRow extends BaseModel {
  static override tableName = 'user_block';
  static override idColumn = ['blocker_id', 'blocked_id'];
  declare blocker_id: number;
  declare blocked_id: number;
  declare note: string;
  declare created_at: number;
}
