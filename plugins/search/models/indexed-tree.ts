import { BaseModel } from '@mortise/plugin-sdk';

/** How far a repository is indexed. */
export class TreeRow extends BaseModel {
  static override tableName = 'search_tree';
  static override idColumn = 'repository_id';
  declare repository_id: number;
  declare branch: string;
  declare commit_id: string;
}
