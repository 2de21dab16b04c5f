import { BaseModel } from '@mortise/plugin-sdk';

/** The highest number that was given in a repository. */
export class NumberRow extends BaseModel {
  static override tableName = 'issue_number';
  static override idColumn = 'repository_id';
  declare repository_id: number;
  declare last: number;
}
