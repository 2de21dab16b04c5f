import { BaseModel } from '@mortise/plugin-sdk';

/** A filter of a list of issues that somebody keeps. */
export class FilterRow extends BaseModel {
  static override tableName = 'issue_filter';
  static override booleans = ['is_pull'];
  declare id: number;
  declare user_id: number;
  /** Null: across repositories. */
  declare repository_id: number | null;
  declare is_pull: boolean;
  declare name: string;
  /** As in the address of the list. */
  declare query: string;
  declare created_at: number;
}
