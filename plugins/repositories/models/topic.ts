import { BaseModel } from '@mortise/plugin-sdk';

export class TopicRow extends BaseModel {
  static override tableName = 'topic';
  declare id: number;
  declare name: string;
  declare repository_count: number;
  declare created_at: number;
  declare updated_at: number;
}
