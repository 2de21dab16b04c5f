import { BaseModel } from '@mortise/plugin-sdk';
import type { MergeStyle } from '../api.js';

/** A pull request that is merged as soon as nothing is in the way. */
export class AutoMergeRow extends BaseModel {
  static override tableName = 'auto_merge';
  static override idColumn = 'issue_id';
  static override booleans = ['delete_branch'];
  declare issue_id: number;
  declare user_id: number;
  declare head_oid: string;
  declare style: MergeStyle;
  declare title: string;
  declare message: string;
  declare delete_branch: boolean | null;
  declare created_at: number;
}
