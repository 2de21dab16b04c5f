import { BaseModel } from '@mortise/plugin-sdk';

export class IssueLabelRow extends BaseModel {
  static override tableName = 'issue_label';
  static override booleans = ['is_pull', 'is_closed'];
  declare id: number;
  declare issue_id: number;
  declare label_id: number;
  /** As the issue has them, so that its lists by label are read from an index. */
  declare is_pull: boolean;
  declare is_closed: boolean;
  declare issue_created_at: number;
}
