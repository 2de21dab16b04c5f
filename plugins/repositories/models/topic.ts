import { BaseModel } from '@mortise/plugin-sdk';

export class TopicRow extends BaseModel {
  static override tableName = 'topic';
  declare id: number;
  declare name: string;
  declare repository_count: number;
  declare created_at: number;
  declare updated_at: number;
}

export class RepositoryTopicRow extends BaseModel {
  static override tableName = 'repository_topic';
  static override idColumn = ['repository_id', 'topic_id'];
  declare repository_id: number;
  declare topic_id: number;
}
