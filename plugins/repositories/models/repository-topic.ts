import { BaseModel } from '@mortise/plugin-sdk';

export class RepositoryTopicRow extends BaseModel {
  static override tableName = 'repository_topic';
  static override idColumn = ['repository_id', 'topic_id'];
  declare repository_id: number;
  declare topic_id: number;
}
